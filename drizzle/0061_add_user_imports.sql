-- compatible-from: 0060
-- Imports of users are stored work: a lost connection or process neither loses nor repeats a user.
create table user_imports (
  id uuid primary key,
  requested_by uuid,
  requested_key_id uuid,
  address text,
  state text not null default 'queued',
  total integer not null,
  done integer not null default 0,
  skipped integer not null default 0,
  fence bigint not null default 0,
  attempts integer not null default 0,
  lease_until timestamptz,
  last_turn_at timestamptz not null default now(),
  error text,
  error_code text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint user_imports_requested_by_users_id_fk foreign key (requested_by) references users (id) on delete set null,
  constraint user_imports_state_check check (state in ('queued', 'running', 'completed', 'failed'))
);
create index user_imports_requested_by_idx on user_imports (requested_by) where requested_by is not null;
create index user_imports_last_turn_at_idx on user_imports (last_turn_at) where finished_at is null;
create table user_import_entries (
  import_id uuid not null,
  position integer not null,
  -- the entry as it was sent, encrypted because it may have a password; null once it was handled
  sealed text,
  user_id uuid,
  -- why no user was made, as JSON
  refusal text,
  constraint user_import_entries_import_id_position_pk primary key (import_id, position),
  constraint user_import_entries_import_id_user_imports_id_fk foreign key (import_id) references user_imports (id) on delete cascade,
  constraint user_import_entries_user_id_users_id_fk foreign key (user_id) references users (id) on delete set null
);
create index user_import_entries_user_id_idx on user_import_entries (user_id) where user_id is not null;
