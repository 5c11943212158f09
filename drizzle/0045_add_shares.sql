-- compatible-from: 0041
-- Links by which people without an account see one document, or what a saved search finds. What they see is decided at each access by what the
-- user who made the link may see then.
create table shares (
  id uuid primary key,
  -- SHA-256 of the token: who reads the table cannot open the link
  token_hash text not null,
  created_by uuid not null references users (id) on delete cascade,
  document_id uuid references documents (id) on delete cascade,
  saved_search_id uuid references saved_searches (id) on delete cascade,
  -- argon2id; null where no password is asked for
  password_hash text,
  allow_download boolean not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  access_count bigint not null default 0,
  first_accessed_at timestamptz,
  last_accessed_at timestamptz,
  created_at timestamptz not null default now(),
  constraint shares_subject_check check (num_nonnulls(document_id, saved_search_id) = 1)
);
create unique index shares_token_hash_idx on shares (token_hash);
create index shares_created_by_idx on shares (created_by, created_at, id);
create index shares_document_id_idx on shares (document_id) where document_id is not null;
create index shares_saved_search_id_idx on shares (saved_search_id) where saved_search_id is not null;
create index shares_expires_at_idx on shares (expires_at);
