-- What is set while the service runs and is the same for every process.
create table settings (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now(),
  updated_by uuid references users (id) on delete set null
);

-- What a process can do, such as the languages its recognition has.
alter table processes add column facts jsonb not null default '{}';

-- A job may be read in several goes, with pauses for others: what counts is the time of the goes.
alter table ocr_jobs add column claimed_at timestamptz;
alter table ocr_jobs add column spent_ms bigint not null default 0;

-- Pages of an earlier reading: they stay, and are found, until the new reading has replaced them.
alter table document_pages add column is_stale boolean not null default false;
