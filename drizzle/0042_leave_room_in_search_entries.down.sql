alter table document_search reset (fillfactor);
