-- Places that files are fetched from: WebDAV servers, buckets, folders of this machine.
create table sources (
  id uuid primary key,
  owner_id uuid not null references users (id) on delete cascade,
  name text not null check (char_length(name) between 1 and 200),
  type text not null check (type in ('webdav', 's3', 'local_folder')),
  url text,
  username text,
  -- Password or secret key, sealed with APP_SECRET_KEY for this row alone.
  sealed_secret text,
  settings jsonb not null default '{}',
  sync_interval_seconds integer not null check (sync_interval_seconds >= 0),
  is_recursive boolean not null default true,
  file_patterns text[] not null default '{*}',
  is_enabled boolean not null default true,
  last_sync_at timestamptz,
  -- Null: only by hand.
  next_sync_at timestamptz,
  -- Runs that failed since the last one that did not; the pause before the next grows with it.
  failures integer not null default 0,
  last_error text,
  -- What the check of the connection said last; null before the first.
  is_reachable boolean,
  check_message text,
  checked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index sources_owner_id_idx on sources (owner_id, created_at desc, id);
create index sources_next_sync_at_idx on sources (next_sync_at) where is_enabled and next_sync_at is not null;

-- One pass over a source. At most one that has not ended.
create table sync_runs (
  id uuid primary key,
  source_id uuid not null references sources (id) on delete cascade,
  state text not null default 'queued' check (state in ('queued', 'running', 'completed', 'failed', 'cancelled')),
  trigger text not null check (trigger in ('schedule', 'manual')),
  requested_by uuid references users (id) on delete set null,
  cancel_requested_at timestamptz,
  processed integer not null default 0,
  total integer not null default 0,
  added integer not null default 0,
  updated integer not null default 0,
  moved integer not null default 0,
  removed integer not null default 0,
  skipped integer not null default 0,
  failed integer not null default 0,
  bytes bigint not null default 0,
  current_file text,
  error text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz
);
create unique index sync_runs_open_key on sync_runs (source_id) where state in ('queued', 'running');
create index sync_runs_source_id_idx on sync_runs (source_id, created_at desc, id);

-- What is known of each file of a source, so that one that did not change is not fetched again.
create table source_files (
  -- Small and dense: a run keeps a bit for each file that it met.
  id bigint generated always as identity primary key,
  source_id uuid not null references sources (id) on delete cascade,
  -- As the ledger writes it.
  path text not null,
  etag text,
  size_bytes bigint,
  modified_at timestamptz,
  sha256 text,
  state text not null check (state in ('waiting', 'ingested', 'duplicate', 'ignored', 'failed')),
  document_id uuid references documents (id) on delete set null,
  -- Tries that failed in a row, and when the next one is due.
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  -- Since when it is no more at the source.
  removed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index source_files_path_key on source_files (source_id, path);
create index source_files_sha256_idx on source_files (source_id, sha256) where sha256 is not null;
create index source_files_document_id_idx on source_files (document_id) where document_id is not null;

-- One row for each file of a source, as for those of watch folders.
create unique index ingest_ledger_source_path_key on ingest_ledger (source_id, path) where source_id is not null;

-- The file that the document came from is gone at its source; the document stays.
alter table documents add column source_removed_at timestamptz;

create table notifications (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  type text not null,
  title text not null,
  message text not null,
  data jsonb not null default '{}',
  read_at timestamptz,
  created_at timestamptz not null default now()
);
create index notifications_user_id_idx on notifications (user_id, created_at desc, id);
create index notifications_unread_idx on notifications (user_id) where read_at is null;
