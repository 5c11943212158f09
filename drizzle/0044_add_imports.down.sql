-- What came from other systems stays, as if it was uploaded; that it came from there is lost: the older schema has no place for it.
update documents set source = 'upload' where source = 'import';
update document_search set source = 'upload' where source = 'import';
update ingest_ledger set route = 'upload' where route = 'import';
update document_pages set origin = 'text' where origin = 'import';
alter table documents drop constraint documents_source_check;
alter table documents add constraint documents_source_check
  check (source in ('upload', 'watch', 'user_watch', 'webdav', 's3', 'local_folder'));
alter table ingest_ledger drop constraint ingest_ledger_route_check;
alter table ingest_ledger add constraint ingest_ledger_route_check
  check (route in ('upload', 'watch', 'user_watch', 'webdav', 's3', 'local_folder'));
alter table document_pages drop constraint document_pages_origin_check;
alter table document_pages add constraint document_pages_origin_check check (origin in ('text', 'ocr'));
alter table documents drop column imported_from;
drop table import_items;
drop table imports;
