-- compatible-from: 0041
-- A document keeps the files that it had before, with the text of their pages: a version each. What lists and search show is the newest, whose
-- file and pages stay where they were.
alter table documents
  add column version integer not null default 1 constraint documents_version_check check (version > 0),
  -- when the file that it has now came; null: with the document
  add column version_created_at timestamptz;

create table document_versions (
  document_id uuid not null references documents (id) on delete cascade,
  version integer not null,
  filename text not null,
  mime_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  file_path text not null,
  page_count integer,
  ocr_language text not null,
  ocr_confidence real,
  language text,
  source text not null,
  source_id uuid,
  -- when its file came, and when a newer one took its place
  created_at timestamptz not null,
  replaced_at timestamptz not null default now(),
  constraint document_versions_pkey primary key (document_id, version),
  constraint document_versions_version_check check (version > 0)
);
create index document_versions_sha256_idx on document_versions (sha256);

create table document_version_pages (
  document_id uuid not null,
  version integer not null,
  page integer not null,
  content text not null,
  confidence real not null,
  origin text not null,
  error text,
  words bytea,
  language text,
  constraint document_version_pages_pkey primary key (document_id, version, page),
  constraint document_version_pages_version_fkey foreign key (document_id, version)
    references document_versions (document_id, version) on delete cascade
);

-- A document in the trash has no row in documents, so that nothing but the trash can show, find, count or change it. Its rows lie in trashed_rows
-- until it is restored or removed for good.
create table trashed_documents (
  -- the document's, which it gets back
  id uuid primary key,
  owner_id uuid not null references users (id) on delete restrict,
  title text not null,
  filename text not null,
  mime_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  page_count integer,
  source text not null,
  source_id uuid,
  created_at timestamptz not null,
  trashed_at timestamptz not null default now(),
  -- null: it went because its file was gone at its source, or the user is gone
  trashed_by uuid references users (id) on delete set null,
  reason text not null,
  constraint trashed_documents_reason_check check (reason in ('deleted', 'source_file_removed'))
);
create index trashed_documents_trashed_at_idx on trashed_documents (trashed_at, id);
create index trashed_documents_owner_idx on trashed_documents (owner_id, trashed_at, id);
create index trashed_documents_owner_sha256_idx on trashed_documents (owner_id, sha256);

-- One row of one table each, as it was, its columns by their names: what a later version of the schema knows of it comes back.
create table trashed_rows (
  id bigint generated always as identity primary key,
  document_id uuid not null references trashed_documents (id) on delete cascade,
  table_name text not null,
  content jsonb not null
);
create index trashed_rows_document_id_idx on trashed_rows (document_id, id);

-- The stored files of a document in the trash: that of the document and those of its earlier versions.
create table trashed_files (
  document_id uuid not null references trashed_documents (id) on delete cascade,
  version integer not null,
  sha256 text not null,
  size_bytes bigint not null,
  file_path text not null,
  constraint trashed_files_pkey primary key (document_id, version)
);
create index trashed_files_sha256_idx on trashed_files (sha256);

-- Every stored file that something refers to, as often as it does: as long as a row is here, the bytes stay.
create view kept_files as
  select id as document_id, version, sha256, size_bytes, file_path, coalesce(version_created_at, created_at) as created_at, 'document' as kept_as
  from documents
  union all
  select document_id, version, sha256, size_bytes, file_path, created_at, 'version' from document_versions
  union all
  select trashed_files.document_id, trashed_files.version, trashed_files.sha256, trashed_files.size_bytes, file_path, trashed_at, 'trash'
  from trashed_files join trashed_documents on trashed_documents.id = trashed_files.document_id;
