-- Imports that are asked for in the interface. They wait for a process, which keeps them with a lease; one whose process died is continued by
-- another one, as nothing is imported twice.
alter table imports
  add column requested_by uuid references users (id) on delete set null,
  add column is_dry_run boolean not null default false,
  -- Folder or file on the server. Null: a ZIP file that was uploaded, or an import of the command line.
  add column path text,
  -- Of a ZIP file that was uploaded.
  add column filename text,
  -- What the parts of paths are, in an import of a folder.
  add column pattern text,
  add column has_passphrase boolean not null default false,
  add column phase text constraint imports_phase_check check (phase in ('preparing', 'documents', 'finishing')),
  add column documents_done integer not null default 0,
  -- Null: it is not known before the end.
  add column documents_total integer,
  add column fence bigint not null default 0,
  -- How often it was begun since the last document that was imported.
  add column attempts integer not null default 0,
  add column lease_until timestamptz,
  -- Why it failed.
  add column error text,
  add column created_at timestamptz not null default now();
alter table imports drop constraint imports_state_check;
alter table imports add constraint imports_state_check check (state in ('queued', 'running', 'completed', 'failed', 'cancelled'));
create index imports_requested_by_idx on imports (requested_by) where requested_by is not null;
