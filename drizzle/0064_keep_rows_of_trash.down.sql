-- The rows of what lies in the trash are copied aside again, their columns by their names, and are restored from there.
drop trigger documents_keep_id on documents;
drop trigger documents_forget_id on documents;
drop trigger trashed_documents_forget_id on trashed_documents;
drop function keep_document_id();
drop function forget_document_id();
drop view kept_files;

alter table trashed_documents rename to later_trash;
alter index trashed_documents_pkey rename to later_trash_pkey;
drop index trashed_documents_trashed_at_idx;
drop index trashed_documents_owner_idx;
drop index trashed_documents_owner_sha256_idx;
alter table later_trash
  drop constraint trashed_documents_owner_id_fkey,
  drop constraint trashed_documents_trashed_by_fkey,
  drop constraint trashed_documents_reason_check;

create table trashed_documents (
  id uuid primary key,
  owner_id uuid not null references users (id) on delete restrict,
  title text not null,
  filename text not null,
  mime_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  page_count integer,
  source text not null,
  source_id uuid,
  created_at timestamptz not null,
  trashed_at timestamptz not null default now(),
  trashed_by uuid references users (id) on delete set null,
  reason text not null,
  constraint trashed_documents_reason_check check (reason in ('deleted', 'source_file_removed'))
);
create index trashed_documents_trashed_at_idx on trashed_documents (trashed_at, id);
create index trashed_documents_owner_idx on trashed_documents (owner_id, trashed_at, id);
create index trashed_documents_owner_sha256_idx on trashed_documents (owner_id, sha256);

create table trashed_rows (
  id bigint generated always as identity primary key,
  document_id uuid not null references trashed_documents (id) on delete cascade,
  table_name text not null,
  content jsonb not null
);
create index trashed_rows_document_id_idx on trashed_rows (document_id, id);

create table trashed_files (
  document_id uuid not null references trashed_documents (id) on delete cascade,
  version integer not null,
  sha256 text not null,
  size_bytes bigint not null,
  file_path text not null,
  constraint trashed_files_pkey primary key (document_id, version)
);
create index trashed_files_sha256_idx on trashed_files (sha256);

insert into trashed_documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, page_count, source, source_id, created_at, trashed_at,
  trashed_by, reason)
select id, owner_id, title, filename, mime_type, size_bytes, sha256, page_count, source, source_id, created_at, trashed_at, trashed_by, reason
from later_trash;
insert into trashed_files (document_id, version, sha256, size_bytes, file_path)
select id, version, sha256, size_bytes, file_path from later_trash
union all
select document_id, document_versions.version, document_versions.sha256, document_versions.size_bytes, document_versions.file_path
from document_versions join later_trash on later_trash.id = document_id;

insert into trashed_rows (document_id, table_name, content)
select id, 'documents', to_jsonb(later_trash) - array['trashed_at', 'trashed_by', 'reason', 'was_indexed', 'job'] from later_trash
union all
select id, 'ocr_jobs', job from later_trash where job is not null
union all
select id, 'document_search', jsonb_build_object('document_id', id) from later_trash where was_indexed;
do $$
declare
  kept text;
begin
  foreach kept in array array['document_pages', 'document_labels', 'document_facts', 'document_einvoices', 'document_notes', 'document_fields',
    'document_versions', 'document_version_pages', 'rule_changes', 'minhash_signatures', 'near_duplicates', 'shares', 'saved_search_candidates']
  loop
    execute format('insert into trashed_rows (document_id, table_name, content)
      select document_id, %1$L, to_jsonb(%1$I) from %1$I where document_id in (select id from later_trash)', kept);
  end loop;
end $$;
insert into trashed_rows (document_id, table_name, content)
select other_id, 'near_duplicates', to_jsonb(near_duplicates) from near_duplicates where other_id in (select id from later_trash);
insert into trashed_rows (document_id, table_name, content)
select document_id, kind, jsonb_build_object('id', row_id, 'sha256', sha256, 'document_id', document_id)
from trashed_references where kind <> 'link' order by id;
insert into trashed_rows (document_id, table_name, content)
select document_id, 'document_fields', jsonb_build_object('document_id', linking_id, 'field_id', field_id, 'document_value', document_id)
from trashed_references where kind = 'link' order by id;
drop table trashed_references;

-- entries that count for nothing go before the function that knows it does
delete from document_search where document_id in (select id from later_trash);
delete from document_search_parts where document_id in (select id from later_trash);
delete from document_labels where document_id in (select id from later_trash);
delete from document_facts where document_id in (select id from later_trash);
delete from document_einvoices where document_id in (select id from later_trash);
delete from document_notes where document_id in (select id from later_trash);
delete from document_fields where document_id in (select id from later_trash);
delete from document_versions where document_id in (select id from later_trash);
delete from rule_changes where document_id in (select id from later_trash);
delete from minhash_signatures where document_id in (select id from later_trash);
delete from near_duplicates where document_id in (select id from later_trash) or other_id in (select id from later_trash);
delete from shares where document_id in (select id from later_trash);
delete from saved_search_candidates where document_id in (select id from later_trash);
delete from document_pages where document_id in (select id from later_trash);
drop table later_trash;

create or replace function count_document_search() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.owner_id, new.configuration, new.length, new.words) = (old.owner_id, old.configuration, old.length, old.words) then
    return null;
  end if;
  if tg_op <> 'INSERT' then
    insert into search_deltas (sign, owner_id, configuration, length, lexemes)
    values (-1, old.owner_id, old.configuration, old.length, strip(old.words));
  end if;
  if tg_op <> 'DELETE' then
    insert into search_deltas (sign, owner_id, configuration, length, lexemes)
    values (1, new.owner_id, new.configuration, new.length, strip(new.words));
  end if;
  return null;
end $$;
drop trigger document_search_count on document_search;
create trigger document_search_count after insert or delete or update of owner_id, words, configuration on document_search
  for each row execute function count_document_search();
alter table document_search drop column is_trashed;

alter table document_pages drop constraint document_pages_document_id_fkey,
  add constraint document_pages_document_id_fkey foreign key (document_id) references documents (id) on delete cascade;
alter table document_labels drop constraint document_labels_document_id_fkey,
  add constraint document_labels_document_id_fkey foreign key (document_id) references documents (id) on delete cascade;
alter table document_search drop constraint document_search_document_id_fkey,
  add constraint document_search_document_id_fkey foreign key (document_id) references documents (id) on delete cascade;
alter table document_search_parts drop constraint document_search_parts_document_id_fkey,
  add constraint document_search_parts_document_id_fkey foreign key (document_id) references documents (id) on delete cascade;
alter table document_notes drop constraint document_notes_document_id_fkey,
  add constraint document_notes_document_id_fkey foreign key (document_id) references documents (id) on delete cascade;
alter table document_facts drop constraint document_facts_document_id_fkey,
  add constraint document_facts_document_id_fkey foreign key (document_id) references documents (id) on delete cascade;
alter table document_einvoices drop constraint document_einvoices_document_id_fkey,
  add constraint document_einvoices_document_id_fkey foreign key (document_id) references documents (id) on delete cascade;
alter table document_fields drop constraint document_fields_document_id_fkey,
  add constraint document_fields_document_id_fkey foreign key (document_id) references documents (id) on delete cascade;
alter table saved_search_candidates drop constraint saved_search_candidates_document_id_fkey,
  add constraint saved_search_candidates_document_id_fkey foreign key (document_id) references documents (id) on delete cascade;
alter table rule_changes drop constraint rule_changes_document_id_fkey,
  add constraint rule_changes_document_id_fkey foreign key (document_id) references documents (id) on delete cascade;
alter table shares drop constraint shares_document_id_fkey,
  add constraint shares_document_id_fkey foreign key (document_id) references documents (id) on delete cascade;
alter table document_versions drop constraint document_versions_document_id_fkey,
  add constraint document_versions_document_id_fkey foreign key (document_id) references documents (id) on delete cascade;
alter table minhash_signatures drop constraint minhash_signatures_document_id_fkey,
  add constraint minhash_signatures_document_id_fkey foreign key (document_id) references documents (id) on delete cascade;
alter table near_duplicates drop constraint near_duplicates_document_id_fkey, drop constraint near_duplicates_other_id_fkey,
  add constraint near_duplicates_document_id_fkey foreign key (document_id) references documents (id) on delete cascade,
  add constraint near_duplicates_other_id_fkey foreign key (other_id) references documents (id) on delete cascade;
alter table documents drop constraint documents_id_fkey;
drop table document_ids;

create view kept_files as
  select id as document_id, version, sha256, size_bytes, file_path, coalesce(version_created_at, created_at) as created_at, 'document' as kept_as
  from documents
  union all
  select document_id, version, sha256, size_bytes, file_path, created_at, 'version' from document_versions
  union all
  select trashed_files.document_id, trashed_files.version, trashed_files.sha256, trashed_files.size_bytes, file_path, trashed_at, 'trash'
  from trashed_files join trashed_documents on trashed_documents.id = trashed_files.document_id;
