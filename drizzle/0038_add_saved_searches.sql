-- compatible-from: 0034
-- Searches that people keep, pin to their navigation, share, and are notified of.
create table saved_searches (
  id uuid primary key,
  owner_id uuid not null references users (id) on delete cascade,
  name text not null,
  query text not null default '',
  -- as the body of a search has them
  filters jsonb not null default '{}',
  sort text not null,
  sort_order text not null,
  columns text[] not null default '{}',
  is_shared boolean not null default false,
  -- the owner is notified of matching documents that were completed since; null: of none
  notify_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint saved_searches_name_check check (char_length(name) between 1 and 100),
  constraint saved_searches_query_check check (char_length(query) <= 2000),
  constraint saved_searches_filters_check check (char_length(filters::text) <= 20000),
  constraint saved_searches_sort_check check (char_length(sort) <= 100),
  constraint saved_searches_order_check check (sort_order in ('asc', 'desc')),
  constraint saved_searches_columns_check check (cardinality(columns) <= 50)
);
do $$
declare
  -- as titles are sorted
  for_people constant text := (select collname from pg_attribute join pg_collation on pg_collation.oid = attcollation
    where attrelid = 'documents'::regclass and attname = 'title_key');
begin
  execute format('alter table saved_searches add column name_key text collate %I not null generated always as (name) stored', for_people);
end $$;
create index saved_searches_owner_id_idx on saved_searches (owner_id);
create index saved_searches_shared_idx on saved_searches (id) where is_shared;
create index saved_searches_notify_idx on saved_searches (id) where notify_since is not null;

-- A pin is personal: also of a search that somebody else has shared.
create table saved_search_pins (
  saved_search_id uuid not null references saved_searches (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  position integer not null,
  primary key (user_id, saved_search_id),
  constraint saved_search_pins_position_check check (position >= 0)
);
create index saved_search_pins_saved_search_id_idx on saved_search_pins (saved_search_id);

-- Documents that can be searched for the first time, until it is known which saved searches they match.
create table saved_search_candidates (
  document_id uuid primary key references documents (id) on delete cascade,
  completed_at timestamptz not null default now()
);
create index saved_search_candidates_completed_at_idx on saved_search_candidates (completed_at, document_id);
create function documents_queue_for_saved_searches() returns trigger language plpgsql as $$
begin
  insert into saved_search_candidates (document_id)
    select new.id where exists (select from saved_searches where notify_since is not null)
    on conflict do nothing;
  return null;
end $$;
create trigger documents_queue_for_saved_searches after update of status on documents
  for each row when (new.status = 'completed' and old.completed_at is null)
  execute function documents_queue_for_saved_searches();
