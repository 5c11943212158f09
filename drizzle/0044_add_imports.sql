-- Imports of the archives of other systems: what was taken over, under which row here, and what was not.
create table imports (
  id uuid primary key,
  kind text not null,
  -- what the other system is called here: its ids are told apart by it
  source text not null,
  -- who gets what had no owner there
  owner_id uuid references users (id) on delete set null,
  state text not null,
  counts jsonb not null default '{}',
  -- what was not taken over, and why
  report jsonb not null default '[]',
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint imports_source_check check (char_length(source) between 1 and 50),
  constraint imports_state_check check (state in ('running', 'completed', 'failed'))
);
create index imports_started_at_idx on imports (started_at, id);
create index imports_owner_id_idx on imports (owner_id) where owner_id is not null;

-- What an id of another system became here; written with the row itself, so that nothing is made twice.
create table import_items (
  kind text not null,
  source text not null,
  model text not null,
  foreign_id text not null,
  -- stays when the row goes: what was deleted here is not brought back
  local_id uuid not null,
  -- whether it is the row that was made of it, or one that was here
  is_joined boolean not null default false,
  -- what shows that the id still means the same
  fingerprint text,
  created_at timestamptz not null default now(),
  primary key (kind, source, model, foreign_id)
);

-- The id that a document had in the system that it was imported from, such as paperless:123.
alter table documents add column imported_from text;
create index documents_imported_from_idx on documents (imported_from) where imported_from is not null;

alter table documents drop constraint documents_source_check;
alter table documents add constraint documents_source_check
  check (source in ('upload', 'watch', 'user_watch', 'webdav', 's3', 'local_folder', 'import'));
alter table ingest_ledger drop constraint ingest_ledger_route_check;
alter table ingest_ledger add constraint ingest_ledger_route_check
  check (route in ('upload', 'watch', 'user_watch', 'webdav', 's3', 'local_folder', 'import'));
alter table document_pages drop constraint document_pages_origin_check;
alter table document_pages add constraint document_pages_origin_check check (origin in ('text', 'ocr', 'import'));
