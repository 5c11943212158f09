-- What was found when a stored original was last read again. Rows are made by the scrub and by `sheaf verify`, and go with the
-- last document of that hash.
create table stored_file_checks (
  sha256 text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  checked_at timestamptz not null,
  -- Null: its bytes have this hash.
  finding text check (finding in ('missing', 'changed', 'unreadable')),
  -- Since when.
  found_at timestamptz check ((found_at is null) = (finding is null))
);
-- What is looked at next, and what is wrong: a handful.
create index stored_file_checks_oldest on stored_file_checks (checked_at);
create index stored_file_checks_findings on stored_file_checks (found_at) where finding is not null;
