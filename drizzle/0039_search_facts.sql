-- compatible-from: 0034
-- The day that a document bears, who it is from and what it is, for filters and facets: three more copies, so that counting the matches
-- needs no second table. They follow their document.
alter table document_search add column document_date date, add column correspondent_id uuid, add column document_type_id uuid;
update document_search set document_date = documents.document_date, correspondent_id = documents.correspondent_id,
  document_type_id = documents.document_type_id
from documents where documents.id = document_search.document_id
  and (documents.document_date is not null or documents.correspondent_id is not null or documents.document_type_id is not null);

create function copy_facts_to_search() returns trigger language plpgsql as $$
begin
  update document_search set document_date = new.document_date, correspondent_id = new.correspondent_id, document_type_id = new.document_type_id
  where document_id = new.id;
  return null;
end $$;
create trigger documents_copy_facts_to_search after update of document_date, correspondent_id, document_type_id on documents
  for each row when (new.document_date is distinct from old.document_date or new.correspondent_id is distinct from old.correspondent_id
    or new.document_type_id is distinct from old.document_type_id)
  execute function copy_facts_to_search();
