-- compatible-from: 0033
-- Who documents are from, and what they are. Lists sort by the copies of the names in the documents, which triggers keep.
create table correspondents (
  id uuid primary key,
  name text not null,
  aliases text[] not null default '{}',
  ibans text[] not null default '{}',
  vat_ids text[] not null default '{}',
  domains text[] not null default '{}',
  -- in which order the numbers of its dates stand, learnt from what people confirmed
  date_order text,
  created_by uuid references users (id) on delete set null,
  created_at timestamptz not null default now(),
  constraint correspondents_name_check check (char_length(name) between 1 and 200),
  constraint correspondents_date_order_check check (date_order in ('day_first', 'month_first', 'year_first'))
);
create index correspondents_name_idx on correspondents (lower(name), created_by);
create index correspondents_created_by_idx on correspondents (created_by) where created_by is not null;
create table document_types (
  id uuid primary key,
  name text not null,
  created_by uuid references users (id) on delete set null,
  created_at timestamptz not null default now(),
  constraint document_types_name_check check (char_length(name) between 1 and 100)
);
create index document_types_name_idx on document_types (lower(name), created_by);
create index document_types_created_by_idx on document_types (created_by) where created_by is not null;
alter table documents add column correspondent_id uuid references correspondents (id) on delete set null,
  add column document_type_id uuid references document_types (id) on delete set null,
  -- names of fields that a person has set, which nothing else changes
  add column confirmed_fields text[] not null default '{}';
do $$
declare
  -- as titles are sorted
  for_people constant text := (select collname from pg_attribute join pg_collation on pg_collation.oid = attcollation
    where attrelid = 'documents'::regclass and attname = 'title_key');
begin
  execute format('alter table correspondents add column name_key text collate %I not null generated always as (name) stored', for_people);
  execute format('alter table document_types add column name_key text collate %I not null generated always as (name) stored', for_people);
  execute format('alter table documents add column correspondent_key text collate %1$I, add column document_type_key text collate %1$I',
    for_people);
end $$;

create function documents_copy_names() returns trigger language plpgsql as $$
begin
  new.correspondent_key := (select name from correspondents where id = new.correspondent_id);
  new.document_type_key := (select name from document_types where id = new.document_type_id);
  return new;
end $$;
create trigger documents_copy_names before update of correspondent_id, document_type_id on documents
  for each row when (new.correspondent_id is distinct from old.correspondent_id or new.document_type_id is distinct from old.document_type_id)
  execute function documents_copy_names();
create trigger documents_copy_names_at_first before insert on documents
  for each row when (new.correspondent_id is not null or new.document_type_id is not null)
  execute function documents_copy_names();

create function correspondents_copy_name() returns trigger language plpgsql as $$
begin
  update documents set correspondent_key = new.name where correspondent_id = new.id;
  return null;
end $$;
create trigger correspondents_copy_name after update of name on correspondents
  for each row when (new.name is distinct from old.name) execute function correspondents_copy_name();
create function document_types_copy_name() returns trigger language plpgsql as $$
begin
  update documents set document_type_key = new.name where document_type_id = new.id;
  return null;
end $$;
create trigger document_types_copy_name after update of name on document_types
  for each row when (new.name is distinct from old.name) execute function document_types_copy_name();

create index documents_correspondent_id_idx on documents (correspondent_id, created_at, id) include (owner_id, status, source_id)
  where correspondent_id is not null;
create index documents_document_type_id_idx on documents (document_type_id, created_at, id) include (owner_id, status, source_id)
  where document_type_id is not null;
create index documents_by_correspondent_idx on documents (correspondent_key nulls first, id) include (status, source_id, created_at);
create index documents_by_document_type_idx on documents (document_type_key nulls first, id) include (status, source_id, created_at);
create index documents_own_by_correspondent_idx on documents (owner_id, correspondent_key nulls first, id)
  include (status, source_id, created_at);
create index documents_own_by_document_type_idx on documents (owner_id, document_type_key nulls first, id)
  include (status, source_id, created_at);
