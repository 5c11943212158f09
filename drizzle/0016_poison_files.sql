-- A job records that its file is about to be opened, so that a crash of its worker can be put down to what was being processed. A
-- suspect is processed alone, and of those at most one at a time in the whole installation.
alter table ocr_jobs
  add column processing_since timestamptz,
  add column crashes integer not null default 0,
  add column is_suspect boolean not null default false;
create unique index ocr_jobs_one_suspect_key on ocr_jobs (is_suspect) where status = 'processing' and is_suspect;

-- The same for files of watch folders and sources, from before their bytes are inspected until the outcome is recorded. What has no
-- started_at was under way when a process crashed, and is inspected alone.
create table import_attempts (
  id uuid primary key,
  route text not null,
  path text not null,
  source_id uuid references sources (id) on delete cascade,
  owner_id uuid not null references users (id) on delete cascade,
  etag text,
  size_bytes bigint,
  modified_at timestamptz,
  started_at timestamptz,
  crashes integer not null default 0,
  updated_at timestamptz not null default now()
);
create unique index import_attempts_route_path_key on import_attempts (route, path) where source_id is null;
create unique index import_attempts_source_path_key on import_attempts (source_id, path) where source_id is not null;
