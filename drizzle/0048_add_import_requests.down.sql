delete from imports where is_dry_run or state in ('queued', 'cancelled');
alter table imports drop constraint imports_state_check;
alter table imports add constraint imports_state_check check (state in ('running', 'completed', 'failed'));
alter table imports
  drop column requested_by,
  drop column is_dry_run,
  drop column path,
  drop column filename,
  drop column pattern,
  drop column has_passphrase,
  drop column phase,
  drop column documents_done,
  drop column documents_total,
  drop column fence,
  drop column attempts,
  drop column lease_until,
  drop column error,
  drop column created_at;
