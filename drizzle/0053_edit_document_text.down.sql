update document_pages set origin = 'import' where origin = 'edited';
update document_version_pages set origin = 'import' where origin = 'edited';
alter table document_pages drop constraint document_pages_origin_check;
alter table document_pages add constraint document_pages_origin_check check (origin in ('text', 'ocr', 'import'));
