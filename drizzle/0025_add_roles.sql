-- Roles that administrators changed or added. Built-in roles that are as they were have no row.
create table roles (
  name text primary key,
  permissions text[] not null,
  updated_at timestamptz not null default now()
);

-- Processes that remember what users may do forget it for everybody at once. The payload is empty, as no single user is meant.
create function tell_roles_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('sheaf_identity', '');
  return null;
end $$;
create trigger roles_tell_change after insert or update or delete on roles for each statement execute function tell_roles_changed();
