-- One directory a user under the base of the watch directories. It is known by its user and not by its name, so that it
-- follows him when he is renamed, and nobody who gets his name later gets his files.
create table watch_directories (
  id uuid primary key,
  -- Null once the user is gone: then the directory is to be set aside, and the row goes.
  user_id uuid references users (id) on delete set null,
  -- The name of the directory on disk, which may still be an earlier name of the user.
  name text not null,
  created_at timestamptz not null default now()
);
create unique index watch_directories_user_id_key on watch_directories (user_id) where user_id is not null;
create unique index watch_directories_name_key on watch_directories (lower(name));

-- Where a file was put after it had been taken in; below the folder of processed files.
alter table ingest_ledger add column moved_to text;

-- The ledger is read newest first, by everyone for himself and by administrators as a whole.
create index ingest_ledger_updated_at_idx on ingest_ledger (updated_at, id);
create index ingest_ledger_owner_idx on ingest_ledger (owner_id, updated_at, id);
-- "Did these very bytes come from another path before?"
create index ingest_ledger_sha256_idx on ingest_ledger (sha256) where sha256 is not null;
-- Counted by the metrics.
create index ingest_ledger_route_state_idx on ingest_ledger (route, state);
drop index ingest_ledger_created_at_idx;
