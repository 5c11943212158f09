drop index document_search_words_idx;
create index document_search_words_idx on document_search using gin (words) with (fastupdate = off);

drop trigger documents_copy_to_search on documents;
create or replace function copy_document_to_search() returns trigger language plpgsql as $$
begin
  update document_search set owner_id = new.owner_id, created_at = new.created_at, mime_type = new.mime_type
  where document_id = new.id;
  return null;
end $$;
create trigger documents_copy_to_search after update of owner_id, created_at, mime_type on documents
  for each row execute function copy_document_to_search();
alter table document_search drop column source;
