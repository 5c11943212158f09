-- Backups, and verifications of backups, that were asked for in the interface. One of each kind waits or runs at a time.
create table backup_runs (
  id uuid primary key,
  kind text not null constraint backup_runs_kind_check check (kind in ('backup', 'verification')),
  state text not null default 'queued' constraint backup_runs_state_check check (state in ('queued', 'running', 'completed', 'failed')),
  -- Name of the backup in BACKUP_PATH. Null: it is not made yet.
  backup_name text,
  -- What a verification found.
  finding text constraint backup_runs_finding_check check (finding in ('ok', 'damaged')),
  requested_by uuid references users (id) on delete set null,
  phase text,
  files bigint not null default 0,
  total_files bigint,
  bytes bigint not null default 0,
  total_bytes bigint,
  fence bigint not null default 0,
  lease_until timestamptz,
  problem text constraint backup_runs_problem_check check (problem in ('interrupted', 'busy', 'failed')),
  error text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  constraint backup_runs_running_has_lease check ((state = 'running') = (lease_until is not null)),
  constraint backup_runs_failed_has_problem check ((state = 'failed') = (problem is not null))
);
create unique index backup_runs_open_key on backup_runs (kind) where state in ('queued', 'running');
create index backup_runs_kind_idx on backup_runs (kind, created_at desc, id);
create index backup_runs_backup_name_idx on backup_runs (backup_name, finished_at desc) where finding is not null;
create index backup_runs_requested_by_idx on backup_runs (requested_by);
