-- What lies in the trash and the earlier versions of documents go: the older version knows neither. Their bytes stay until its sweep, which sets
-- them aside for a month before it removes them.
drop view kept_files;
drop table trashed_files, trashed_rows, trashed_documents, document_version_pages, document_versions;
alter table documents drop column version, drop column version_created_at;
