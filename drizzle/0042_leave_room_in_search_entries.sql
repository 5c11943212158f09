-- compatible-from: 0034
-- A search entry follows its document when that is filed. Where the page has room for the new row, the inverted index does not have to be
-- written for each of its words again: measured, 1.3 instead of 5.9 ms a document.
alter table document_search set (fillfactor = 70);
