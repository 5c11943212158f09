create extension if not exists pg_trgm;
create extension if not exists unaccent;
create extension if not exists btree_gin;

create table users (
  id uuid primary key,
  username text not null check (username ~ '^[A-Za-z0-9_-]{1,64}$'),
  email text not null,
  role text not null,
  display_name text,
  password_hash text,
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index users_username_key on users (lower(username));
create unique index users_email_key on users (lower(email));

create table sessions (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  address text,
  user_agent text
);
create index sessions_user_id_idx on sessions (user_id);
create index sessions_expires_at_idx on sessions (expires_at);

create table labels (
  id uuid primary key,
  name text not null check (char_length(name) between 1 and 100),
  color text not null check (color ~ '^#[0-9a-fA-F]{6}$'),
  description text not null default '',
  created_by uuid references users (id) on delete set null,
  created_at timestamptz not null default now()
);
create unique index labels_name_key on labels (lower(name));

-- Narrow on purpose: lists read this table and never the text.
create table documents (
  id uuid primary key,
  owner_id uuid not null references users (id) on delete restrict,
  title text not null,
  filename text not null,
  mime_type text not null,
  size_bytes bigint not null check (size_bytes > 0),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  file_path text not null,
  status text not null default 'pending' check (status in ('pending', 'processing', 'completed', 'failed')),
  error_code text,
  error_message text,
  needs_attention boolean not null default false,
  ocr_enabled boolean not null default true,
  ocr_language text not null,
  ocr_confidence real check (ocr_confidence between 0 and 1),
  page_count integer,
  content_excerpt text not null default '' check (char_length(content_excerpt) <= 500),
  source text not null check (source in ('upload', 'watch', 'user_watch', 'webdav', 's3', 'local_folder')),
  source_id uuid,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  completed_at timestamptz,
  constraint documents_owner_sha256_key unique (owner_id, sha256),
  constraint documents_failed_has_reason check (status <> 'failed' or error_code is not null)
);
create index documents_created_at_idx on documents (created_at desc, id);
create index documents_owner_created_at_idx on documents (owner_id, created_at desc, id);
create index documents_sha256_idx on documents (sha256);
create index documents_status_idx on documents (status) where status <> 'completed';

create table document_labels (
  document_id uuid not null references documents (id) on delete cascade,
  label_id uuid not null references labels (id) on delete cascade,
  primary key (document_id, label_id)
);
create index document_labels_label_id_idx on document_labels (label_id);

-- One row a page that has been read; a retry goes on with the pages that are not here.
create table document_pages (
  document_id uuid not null references documents (id) on delete cascade,
  page integer not null check (page >= 1),
  content text not null,
  confidence real not null check (confidence between 0 and 1),
  origin text not null check (origin in ('text', 'ocr')),
  error text,
  primary key (document_id, page)
);

create table ocr_jobs (
  id uuid primary key,
  document_id uuid not null unique references documents (id) on delete cascade,
  status text not null default 'pending' check (status in ('pending', 'processing', 'completed', 'failed')),
  priority smallint not null default 10,
  attempts integer not null default 0,
  max_attempts integer not null check (max_attempts >= 1),
  due_at timestamptz not null default now(),
  -- The lease: who reads, until when, and a number that grows with each claim. Every write of a reader repeats it.
  lease_by text,
  lease_until timestamptz,
  fence bigint not null default 0,
  pages_done integer not null default 0,
  pages_total integer,
  error_code text,
  error_message text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  completed_at timestamptz,
  constraint ocr_jobs_processing_has_lease check ((status = 'processing') = (lease_by is not null and lease_until is not null))
);
create index ocr_jobs_due_idx on ocr_jobs (priority desc, due_at, id) where status = 'pending';
create index ocr_jobs_lease_idx on ocr_jobs (lease_until) where status = 'processing';
create index ocr_jobs_completed_at_idx on ocr_jobs (completed_at desc) where status = 'completed';

-- What happened to each file seen on any route, and why.
create table ingest_ledger (
  id uuid primary key,
  route text not null check (route in ('upload', 'watch', 'user_watch', 'webdav', 's3', 'local_folder')),
  path text not null,
  owner_id uuid references users (id) on delete cascade,
  source_id uuid,
  size_bytes bigint,
  modified_at timestamptz,
  sha256 text,
  state text not null check (state in ('waiting', 'ingested', 'duplicate', 'ignored', 'failed')),
  reason text,
  document_id uuid references documents (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- An upload has no path to come back to: each is a row of its own.
create unique index ingest_ledger_route_path_key on ingest_ledger (route, path) where route in ('watch', 'user_watch');
create index ingest_ledger_created_at_idx on ingest_ledger (created_at desc, id);

-- Written in the transaction that makes the event true. `owner_id` is the owner of the subject, for visibility.
create table events (
  seq bigint generated always as identity primary key,
  type text not null,
  owner_id uuid,
  document_id uuid,
  data jsonb not null,
  created_at timestamptz not null default now()
);
create index events_created_at_idx on events (created_at);

create table processes (
  id uuid primary key,
  name text not null,
  pid integer not null,
  host text not null,
  version text not null,
  config_hash text not null,
  probe_port integer,
  holds_lock boolean not null default false,
  status text not null check (status in ('healthy', 'warning', 'unhealthy')),
  components jsonb not null default '{}',
  memory_bytes bigint not null,
  started_at timestamptz not null,
  seen_at timestamptz not null default now()
);
create index processes_seen_at_idx on processes (seen_at);
