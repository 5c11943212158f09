alter table document_pages drop column words;
