-- A document in the trash keeps the rows that hang on it: they refer to its id, which lives as long as the document does, in the library or in
-- the trash. Only its own row moves, so that it costs the same however many pages there are.
create table document_ids (
  id uuid primary key
);
insert into document_ids (id) select id from documents union select id from trashed_documents;

-- checked at the commit, as a trigger writes the id behind the row
alter table documents add constraint documents_id_fkey foreign key (id) references document_ids (id) on delete cascade
  deferrable initially deferred;

alter table trashed_documents rename to earlier_trash;
alter index trashed_documents_pkey rename to earlier_trash_pkey;
drop index trashed_documents_trashed_at_idx;
drop index trashed_documents_owner_idx;
drop index trashed_documents_owner_sha256_idx;
alter table earlier_trash rename constraint trashed_documents_owner_id_fkey to earlier_trash_owner_id_fkey;
alter table earlier_trash rename constraint trashed_documents_trashed_by_fkey to earlier_trash_trashed_by_fkey;
alter table earlier_trash rename constraint trashed_documents_reason_check to earlier_trash_reason_check;

-- The row of a document in the trash, as it was, but for what follows from other columns.
create table trashed_documents (like documents including defaults);
alter table trashed_documents
  drop column title_key,
  drop column filename_key,
  drop column correspondent_key,
  drop column document_type_key,
  add column trashed_at timestamptz not null default now(),
  -- null: it went because its file was gone at its source, or the user is gone
  add column trashed_by uuid,
  add column reason text not null,
  -- whether it could be searched: where its entry is gone by then, restoring it makes another one
  add column was_indexed boolean not null,
  -- the row of its OCR job, which nobody may take meanwhile; null where it has none
  add column job jsonb,
  add constraint trashed_documents_pkey primary key (id),
  add constraint trashed_documents_id_fkey foreign key (id) references document_ids (id) on delete cascade,
  add constraint trashed_documents_owner_id_fkey foreign key (owner_id) references users (id) on delete restrict,
  add constraint trashed_documents_correspondent_id_fkey foreign key (correspondent_id) references correspondents (id) on delete set null,
  add constraint trashed_documents_document_type_id_fkey foreign key (document_type_id) references document_types (id) on delete set null,
  add constraint trashed_documents_trashed_by_fkey foreign key (trashed_by) references users (id) on delete set null,
  add constraint trashed_documents_reason_check check (reason in ('deleted', 'source_file_removed'));
create index trashed_documents_trashed_at_idx on trashed_documents (trashed_at, id);
create index trashed_documents_owner_idx on trashed_documents (owner_id, trashed_at, id);
create index trashed_documents_owner_sha256_idx on trashed_documents (owner_id, sha256);
create index trashed_documents_sha256_idx on trashed_documents (sha256);
create index trashed_documents_correspondent_id_idx on trashed_documents (correspondent_id) where correspondent_id is not null;
create index trashed_documents_document_type_id_idx on trashed_documents (document_type_id) where document_type_id is not null;

-- Rows that forget a document in the trash and know it again when it is restored: files that became it, and links to it from other documents.
create table trashed_references (
  id bigint generated always as identity primary key,
  document_id uuid not null references trashed_documents (id) on delete cascade,
  kind text not null,
  -- of the row in ingest_ledger or source_files; null for a link
  row_id text,
  -- what the file had
  sha256 text,
  -- the field of the document that links to it
  linking_id uuid references document_ids (id) on delete cascade,
  field_id uuid references custom_fields (id) on delete cascade,
  constraint trashed_references_kind_check check (kind in ('ingest_ledger', 'source_files', 'link')),
  constraint trashed_references_what_check
    check (case kind when 'link' then num_nonnulls(linking_id, field_id) = 2 and row_id is null else row_id is not null end)
);
create index trashed_references_document_id_idx on trashed_references (document_id, id);
create index trashed_references_linking_id_idx on trashed_references (linking_id) where linking_id is not null;
create index trashed_references_field_id_idx on trashed_references (field_id) where field_id is not null;

-- Search leaves these entries out. The column has no index, so that a change of it leaves those of the entry alone.
alter table document_search add column is_trashed boolean not null default false;

create or replace function count_document_search() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.owner_id, new.configuration, new.length, new.is_trashed, new.words)
      = (old.owner_id, old.configuration, old.length, old.is_trashed, old.words) then
    return null;
  end if;
  if tg_op <> 'INSERT' and not old.is_trashed then
    insert into search_deltas (sign, owner_id, configuration, length, lexemes)
    values (-1, old.owner_id, old.configuration, old.length, strip(old.words));
  end if;
  if tg_op <> 'DELETE' and not new.is_trashed then
    insert into search_deltas (sign, owner_id, configuration, length, lexemes)
    values (1, new.owner_id, new.configuration, new.length, strip(new.words));
  end if;
  return null;
end $$;
drop trigger document_search_count on document_search;
create trigger document_search_count after insert or delete or update of owner_id, words, configuration, is_trashed on document_search
  for each row execute function count_document_search();

alter table document_pages drop constraint document_pages_document_id_fkey,
  add constraint document_pages_document_id_fkey foreign key (document_id) references document_ids (id) on delete cascade;
alter table document_labels drop constraint document_labels_document_id_fkey,
  add constraint document_labels_document_id_fkey foreign key (document_id) references document_ids (id) on delete cascade;
alter table document_search drop constraint document_search_document_id_fkey,
  add constraint document_search_document_id_fkey foreign key (document_id) references document_ids (id) on delete cascade;
alter table document_search_parts drop constraint document_search_parts_document_id_fkey,
  add constraint document_search_parts_document_id_fkey foreign key (document_id) references document_ids (id) on delete cascade;
alter table document_notes drop constraint document_notes_document_id_fkey,
  add constraint document_notes_document_id_fkey foreign key (document_id) references document_ids (id) on delete cascade;
alter table document_facts drop constraint document_facts_document_id_fkey,
  add constraint document_facts_document_id_fkey foreign key (document_id) references document_ids (id) on delete cascade;
alter table document_einvoices drop constraint document_einvoices_document_id_fkey,
  add constraint document_einvoices_document_id_fkey foreign key (document_id) references document_ids (id) on delete cascade;
alter table document_fields drop constraint document_fields_document_id_fkey,
  add constraint document_fields_document_id_fkey foreign key (document_id) references document_ids (id) on delete cascade;
alter table saved_search_candidates drop constraint saved_search_candidates_document_id_fkey,
  add constraint saved_search_candidates_document_id_fkey foreign key (document_id) references document_ids (id) on delete cascade;
alter table rule_changes drop constraint rule_changes_document_id_fkey,
  add constraint rule_changes_document_id_fkey foreign key (document_id) references document_ids (id) on delete cascade;
alter table shares drop constraint shares_document_id_fkey,
  add constraint shares_document_id_fkey foreign key (document_id) references document_ids (id) on delete cascade;
alter table document_versions drop constraint document_versions_document_id_fkey,
  add constraint document_versions_document_id_fkey foreign key (document_id) references document_ids (id) on delete cascade;
alter table minhash_signatures drop constraint minhash_signatures_document_id_fkey,
  add constraint minhash_signatures_document_id_fkey foreign key (document_id) references document_ids (id) on delete cascade;
alter table near_duplicates drop constraint near_duplicates_document_id_fkey, drop constraint near_duplicates_other_id_fkey,
  add constraint near_duplicates_document_id_fkey foreign key (document_id) references document_ids (id) on delete cascade,
  add constraint near_duplicates_other_id_fkey foreign key (other_id) references document_ids (id) on delete cascade;

-- What lies in the trash: its own row first. Columns that are younger than its removal have what they have in a new row.
insert into trashed_documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, status, error_code, error_message,
  needs_attention, ocr_enabled, ocr_language, is_task_acknowledged, language, missing_language, ocr_confidence, page_count, content_excerpt, source,
  source_id, source_removed_at, notes_count, has_einvoice, is_signed, document_date, archive_number, correspondent_id, document_type_id,
  confirmed_fields, facts_found_at, facts_version, imported_from, version, version_created_at, metadata, created_at, updated_at, completed_at,
  rules_due_at, trashed_at, trashed_by, reason, was_indexed, job)
select trash.id, trash.owner_id, was.title, was.filename, was.mime_type, was.size_bytes, was.sha256, coalesce(file.file_path, was.file_path),
  was.status, was.error_code, was.error_message, was.needs_attention, was.ocr_enabled, was.ocr_language, coalesce(was.is_task_acknowledged, false),
  was.language, was.missing_language, was.ocr_confidence, was.page_count, was.content_excerpt, was.source, was.source_id, was.source_removed_at,
  was.notes_count, was.has_einvoice, coalesce(was.is_signed, false), was.document_date, was.archive_number,
  (select id from correspondents where id = was.correspondent_id), (select id from document_types where id = was.document_type_id),
  was.confirmed_fields, was.facts_found_at, was.facts_version, was.imported_from, was.version, was.version_created_at, was.metadata,
  was.created_at, was.updated_at, was.completed_at, was.rules_due_at, trash.trashed_at, trash.trashed_by, trash.reason,
  exists (select from trashed_rows where document_id = trash.id and table_name = 'document_search'),
  (select content from trashed_rows where document_id = trash.id and table_name = 'ocr_jobs' order by id limit 1)
from earlier_trash as trash
  join trashed_rows as kept on kept.document_id = trash.id and kept.table_name = 'documents'
  cross join lateral jsonb_populate_record(null::documents, kept.content) as was
  left join trashed_files as file on file.document_id = trash.id and file.version = was.version;
do $$
begin
  if exists (select from earlier_trash where not exists (select from trashed_documents where trashed_documents.id = earlier_trash.id)) then
    raise exception 'the rows of a document in the trash are missing, so that it cannot be taken over: %',
      (select min(id::text) from earlier_trash where not exists (select from trashed_documents where trashed_documents.id = earlier_trash.id));
  end if;
end $$;

insert into trashed_references (document_id, kind, row_id, sha256)
select document_id, table_name, content ->> 'id', content ->> 'sha256'
from trashed_rows join trashed_documents on trashed_documents.id = document_id
where table_name in ('ingest_ledger', 'source_files') order by trashed_rows.id;
-- from either end: what links one document of the trash to another was kept with the one that went first
insert into trashed_references (document_id, kind, linking_id, field_id)
select distinct target.id, 'link', linking.id, custom_fields.id
from trashed_rows join trashed_documents as target on target.id = (content ->> 'document_value')::uuid
  join document_ids as linking on linking.id = (content ->> 'document_id')::uuid
  join custom_fields on custom_fields.id = (content ->> 'field_id')::uuid
where table_name = 'document_fields';

-- Then what hangs on it, as far as what it refers to is still there: a row that named something forgets it, one that was a part of something
-- is gone with that.
do $$
declare
  kept record;
  columns text[];
  listed text;
  picked text;
  wanted text;
begin
  for kept in
    select table_name, array(select jsonb_object_keys(content)) as keys, min(array_position(tables, table_name)) as place
    from trashed_rows, (select array['document_pages', 'document_labels', 'document_facts', 'document_einvoices', 'document_notes',
      'document_fields', 'document_versions', 'document_version_pages', 'rule_changes', 'minhash_signatures', 'near_duplicates', 'shares',
      'saved_search_candidates'] as tables) as known
    where table_name = any(tables) group by 1, 2 order by 3
  loop
    columns := array(select attname::text from pg_attribute where attrelid = to_regclass(kept.table_name) and attnum > 0
      and not attisdropped and attgenerated = '' and attidentity = '' and attname = any(kept.keys));
    select string_agg(format('%I', column_name), ', '),
      string_agg(case when target is null then format('back.%I', column_name)
        else format('case when exists (select from %s as target where target.%I = back.%I) then back.%I end',
          target, target_column, column_name, column_name) end, ', ')
    into listed, picked
    from unnest(columns) as column_name left join lateral (
      select confrelid::regclass as target, other.attname as target_column
      from pg_constraint join pg_attribute as own on own.attrelid = conrelid and own.attnum = conkey[1]
        join pg_attribute as other on other.attrelid = confrelid and other.attnum = confkey[1]
      where contype = 'f' and conrelid = to_regclass(kept.table_name) and cardinality(conkey) = 1 and confdeltype = 'n'
        and own.attname = column_name
    ) as forgotten on true;
    select coalesce(string_agg(format('(back.%I is null or exists (select from %s as target where target.%I = back.%I))',
      own.attname, confrelid::regclass, other.attname, own.attname), ' and '), 'true')
    into wanted
    from pg_constraint join pg_attribute as own on own.attrelid = conrelid and own.attnum = conkey[1]
      join pg_attribute as other on other.attrelid = confrelid and other.attnum = confkey[1]
    where contype = 'f' and conrelid = to_regclass(kept.table_name) and cardinality(conkey) = 1 and confdeltype = 'c';
    execute format('insert into %1$I (%2$s) select %3$s from trashed_rows as kept_row
        join trashed_documents as trash on trash.id = kept_row.document_id
        cross join lateral jsonb_populate_record(null::%1$I, kept_row.content) as back
      where kept_row.table_name = %4$L and array(select jsonb_object_keys(kept_row.content)) = $1 and %5$s order by kept_row.id on conflict do nothing',
      kept.table_name, listed, picked, kept.table_name, wanted) using kept.keys;
  end loop;
end $$;
update document_versions as version set file_path = file.file_path
from trashed_files as file where file.document_id = version.document_id and file.version = version.version;

drop view kept_files;
drop table trashed_files;
drop table trashed_rows;
drop table earlier_trash;

-- Every stored file that something refers to, as often as it does: as long as a row is here, the bytes stay.
create view kept_files as
  select id as document_id, version, sha256, size_bytes, file_path, coalesce(version_created_at, created_at) as created_at, 'document' as kept_as
  from documents
  union all
  select document_id, version, sha256, size_bytes, file_path, created_at, 'version' from document_versions
  union all
  select id, version, sha256, size_bytes, file_path, trashed_at, 'trash' from trashed_documents;

-- An id is there as long as a document has it, here or in the trash, whoever writes or removes the row.
create function keep_document_id() returns trigger language plpgsql as $$
begin
  insert into document_ids (id) values (new.id) on conflict do nothing;
  return null;
end $$;
-- not before the row, which may turn out to be there already
create trigger documents_keep_id after insert on documents for each row execute function keep_document_id();

create function forget_document_id() returns trigger language plpgsql as $$
begin
  delete from document_ids where id = old.id
    and not exists (select from documents where documents.id = old.id)
    and not exists (select from trashed_documents where trashed_documents.id = old.id);
  return null;
end $$;
create trigger documents_forget_id after delete on documents for each row execute function forget_document_id();
create trigger trashed_documents_forget_id after delete on trashed_documents for each row execute function forget_document_id();
