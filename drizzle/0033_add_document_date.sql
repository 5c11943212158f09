-- compatible-from: 0032
-- The day that a document bears, and the number under which its paper is filed. Both are sorted by like the other fields of lists.
alter table documents add column document_date date,
  add column archive_number integer constraint documents_archive_number_check check (archive_number > 0);
create unique index documents_archive_number_key on documents (archive_number) where archive_number is not null;
create index documents_by_document_date_idx on documents (document_date nulls first, id) include (status, source_id, created_at);
create index documents_by_archive_number_idx on documents (archive_number nulls first, id) include (status, source_id, created_at);
create index documents_own_by_document_date_idx on documents (owner_id, document_date nulls first, id) include (status, source_id, created_at);
create index documents_own_by_archive_number_idx on documents (owner_id, archive_number nulls first, id) include (status, source_id, created_at);
