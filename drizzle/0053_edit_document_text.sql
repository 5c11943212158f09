-- Text of a page that a person or a program wrote in place of what was extracted.
alter table document_pages drop constraint document_pages_origin_check;
alter table document_pages add constraint document_pages_origin_check check (origin in ('text', 'ocr', 'import', 'edited'));
