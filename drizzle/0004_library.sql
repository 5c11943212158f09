-- What lists sort titles, file names and labels by: in the order of people where PostgreSQL has ICU (Zebra after apfel), and no longer
-- than an index can hold.
do $$
declare
  for_people text := coalesce((select collname from pg_collation where collname = 'und-x-icu' and collprovider = 'i' limit 1), 'default');
begin
  execute format('alter table documents
    add column title_key text collate %1$I not null generated always as (left(title, 200)) stored,
    add column filename_key text collate %1$I not null generated always as (left(filename, 200)) stored', for_people);
  execute format('alter table labels add column name_key text collate %1$I not null generated always as (name) stored', for_people);
end $$;

-- One index a sort, read forwards and backwards, and the same within the documents of one owner. They carry what lists filter
-- by, so that page 1,000 is reached without a look at the rows before it.
drop index documents_created_at_idx, documents_owner_created_at_idx, documents_status_idx;
create index documents_by_created_at_idx on documents (created_at, id) include (status, source_id);
create index documents_by_updated_at_idx on documents (updated_at, id) include (status, source_id, created_at);
create index documents_by_title_idx on documents (title_key, id) include (status, source_id, created_at);
create index documents_by_filename_idx on documents (filename_key, id) include (status, source_id, created_at);
create index documents_by_size_idx on documents (size_bytes, id) include (status, source_id, created_at);
create index documents_by_status_idx on documents (status, id) include (source_id, created_at);
create index documents_by_mime_type_idx on documents (mime_type, id) include (status, source_id, created_at);
create index documents_by_ocr_confidence_idx on documents (ocr_confidence nulls first, id) include (status, source_id, created_at);
create index documents_own_by_created_at_idx on documents (owner_id, created_at, id) include (status, source_id);
create index documents_own_by_updated_at_idx on documents (owner_id, updated_at, id) include (status, source_id, created_at);
create index documents_own_by_title_idx on documents (owner_id, title_key, id) include (status, source_id, created_at);
create index documents_own_by_filename_idx on documents (owner_id, filename_key, id) include (status, source_id, created_at);
create index documents_own_by_size_idx on documents (owner_id, size_bytes, id) include (status, source_id, created_at);
create index documents_own_by_status_idx on documents (owner_id, status, id) include (source_id, created_at);
create index documents_own_by_mime_type_idx on documents (owner_id, mime_type, id) include (status, source_id, created_at);
create index documents_own_by_ocr_confidence_idx on documents (owner_id, ocr_confidence nulls first, id) include (status, source_id, created_at);
create index documents_source_id_idx on documents (source_id, created_at, id) include (status) where source_id is not null;

drop index document_labels_label_id_idx;
create index document_labels_label_id_idx on document_labels (label_id, document_id);

-- Lists are many and short: a count that calls two helpers takes 13 ms where one process needs 4, and the helpers' cores.
alter table documents set (parallel_workers = 0);
alter table document_labels set (parallel_workers = 0);

-- How many documents there are, by everything that lists filter by: what stands here plus what stands in
-- document_tally_deltas. Writers only append, so no row is hot; compaction moves the deltas here.
create table document_tallies (
  -- Documents with this label; null: all documents.
  label_id uuid,
  -- The first day of the month of created_at, in UTC; null: all months.
  month date,
  owner_id uuid not null,
  status text not null,
  source_id uuid,
  documents integer not null,
  constraint document_tallies_key unique nulls not distinct (label_id, month, owner_id, status, source_id)
) with (fillfactor = 80);

create table document_tally_deltas (
  id bigint generated always as identity primary key,
  label_id uuid,
  month date not null,
  owner_id uuid not null,
  status text not null,
  source_id uuid,
  documents integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create function document_month(created_at timestamptz) returns date language sql immutable strict parallel safe as $$
  select date_trunc('month', created_at at time zone 'UTC')::date
$$;

-- Triggers, because they cannot be forgotten: rows also go when what they hang on is deleted.
create function count_document() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    insert into document_tally_deltas (label_id, month, owner_id, status, source_id, documents)
    select null, document_month(old.created_at), old.owner_id, old.status, old.source_id, -1
    union all
    select label_id, document_month(old.created_at), old.owner_id, old.status, old.source_id, -1
    from document_labels where document_id = old.id;
  end if;
  if tg_op <> 'DELETE' then
    insert into document_tally_deltas (label_id, month, owner_id, status, source_id, documents)
    select null, document_month(new.created_at), new.owner_id, new.status, new.source_id, 1
    union all
    select label_id, document_month(new.created_at), new.owner_id, new.status, new.source_id, 1
    from document_labels where document_id = new.id;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
create trigger documents_count_insert after insert on documents for each row execute function count_document();
create trigger documents_count_update after update of owner_id, created_at, status, source_id on documents for each row
  when ((old.owner_id, old.created_at, old.status, old.source_id) is distinct from (new.owner_id, new.created_at, new.status, new.source_id))
  execute function count_document();
-- Before, while its labels are still there.
create trigger documents_count_delete before delete on documents for each row execute function count_document();

-- Locks the document, so that nobody changes its owner or status between the look at it here and the commit: his trigger would
-- not see this label yet. Finds none where the document is being deleted, which has counted its labels already.
create function count_document_label() returns trigger language plpgsql as $$
begin
  -- A label that is going takes its tallies along.
  if tg_op <> 'INSERT' and exists (select from labels where id = old.label_id) then
    insert into document_tally_deltas (label_id, month, owner_id, status, source_id, documents)
    select old.label_id, document_month(created_at), owner_id, status, source_id, -1
    from documents where id = old.document_id for no key update;
  end if;
  if tg_op <> 'DELETE' then
    insert into document_tally_deltas (label_id, month, owner_id, status, source_id, documents)
    select new.label_id, document_month(created_at), owner_id, status, source_id, 1
    from documents where id = new.document_id for no key update;
  end if;
  return null;
end $$;
create trigger document_labels_count after insert or delete or update on document_labels
  for each row execute function count_document_label();

-- The documents that are here already.
with counted as (
  select null::uuid as label_id, document_month(created_at) as month, owner_id, status, source_id from documents
  union all
  select label_id, document_month(created_at), owner_id, status, source_id from document_labels join documents on documents.id = document_id
)
insert into document_tallies (label_id, month, owner_id, status, source_id, documents)
select label_id, level.month, owner_id, status, source_id, count(*)
from counted cross join lateral (values (counted.month), (null)) as level (month)
group by label_id, level.month, owner_id, status, source_id;

-- A document that is deleted is looked for in the ledger.
create index ingest_ledger_document_id_idx on ingest_ledger (document_id) where document_id is not null;
