-- How a user signs in, and what his identity provider said of him last.
alter table users
  add column auth_method text not null default 'local' check (auth_method in ('local', 'oidc', 'ldap', 'saml2')),
  -- Issuer and subject, distinguished name or name id: what stays when names and addresses change.
  add column external_id text,
  add column external_groups text[] not null default '{}',
  add column email_verified_at timestamptz,
  add column password_changed_at timestamptz,
  -- Since when a second factor is asked of him: the grace period counts from here.
  add column mfa_required_since timestamptz,
  add constraint users_external_has_id check (auth_method = 'local' or external_id is not null);
create unique index users_external_id_key on users (auth_method, external_id) where external_id is not null;

-- A session is opened by a sign-in and ended by signing out, by time, or by a change of what its user may do.
alter table sessions
  add column kind text not null default 'token' check (kind in ('token', 'cookie')),
  -- SHA-256 of what the cookie holds.
  add column cookie_hash text,
  -- Which refresh token is the last one: an older one that comes back was stolen.
  add column refresh_number integer not null default 0,
  add column idle_expires_at timestamptz,
  add column last_seen_at timestamptz not null default now(),
  add column is_remembered boolean not null default false,
  add column method text not null default 'local' check (method in ('local', 'oidc', 'ldap', 'saml2')),
  add constraint sessions_cookie_has_hash check ((kind = 'cookie') = (cookie_hash is not null));
create unique index sessions_cookie_hash_key on sessions (cookie_hash) where cookie_hash is not null;

create table api_keys (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  name text not null check (char_length(name) between 1 and 100),
  scope text[] not null,
  key_hash text not null,
  prefix text not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);
create unique index api_keys_key_hash_key on api_keys (key_hash);
create index api_keys_user_id_idx on api_keys (user_id);

create table mfa_devices (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  kind text not null check (kind in ('totp', 'webauthn')),
  name text not null,
  -- TOTP: the encrypted secret. WebAuthn: nothing.
  secret text,
  -- TOTP: the last time step that was accepted, as a code works once.
  last_step bigint,
  -- WebAuthn.
  credential_id text,
  public_key text,
  sign_count bigint,
  transports text[],
  -- Null: set up but never proven.
  enabled_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  constraint mfa_devices_has_what_its_kind_needs check (
    kind = 'totp' and secret is not null or kind = 'webauthn' and credential_id is not null and public_key is not null)
);
create index mfa_devices_user_id_idx on mfa_devices (user_id);
create unique index mfa_devices_credential_id_key on mfa_devices (credential_id) where credential_id is not null;

create table recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  code_hash text not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- What lives for minutes, or is remembered so that it works once: states of sign-ins under way, challenges, invitations.
create table one_time_tokens (
  -- SHA-256 of the token, or what must not come twice.
  token_hash text not null,
  purpose text not null,
  user_id uuid references users (id) on delete cascade,
  data jsonb not null default '{}',
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (purpose, token_hash)
);
create index one_time_tokens_expires_at_idx on one_time_tokens (expires_at);
create index one_time_tokens_user_id_idx on one_time_tokens (user_id) where user_id is not null;

-- Failed sign-ins by account and by address. `subject` is account:<name as it was typed, in lower case> or address:<address>.
create table login_failures (
  subject text primary key,
  failures integer not null,
  first_at timestamptz not null,
  locked_until timestamptz
);

create table audit_log (
  id uuid primary key,
  created_at timestamptz not null default now(),
  -- Kept when the user is deleted, as his name is.
  actor_id uuid,
  actor_name text,
  address text,
  action text not null,
  outcome text not null check (outcome in ('success', 'failure')),
  subject_type text,
  subject_id text,
  details jsonb not null default '{}'
);
create index audit_log_created_at_idx on audit_log (created_at desc, id desc);
create index audit_log_actor_id_idx on audit_log (actor_id, created_at desc);
create index audit_log_action_idx on audit_log (action, created_at desc);

-- Processes that remember who a session or a key belongs to forget it at once when it changes. Triggers, because they cannot be
-- forgotten; the payload is the id of the user.
create function tell_identity_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('sheaf_identity', (case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end) ->> tg_argv[0]);
  return null;
end $$;
create trigger users_tell_change after update or delete on users for each row execute function tell_identity_changed('id');
create trigger sessions_tell_revoked after update of revoked_at on sessions for each row
  when (new.revoked_at is distinct from old.revoked_at) execute function tell_identity_changed('user_id');
create trigger sessions_tell_deleted after delete on sessions for each row execute function tell_identity_changed('user_id');
create trigger api_keys_tell_change after update of revoked_at, scope, expires_at on api_keys for each row
  execute function tell_identity_changed('user_id');
create trigger api_keys_tell_deleted after delete on api_keys for each row execute function tell_identity_changed('user_id');
