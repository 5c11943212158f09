-- A file whose pages are several documents: its entry names the parts.
alter table ingest_ledger drop constraint ingest_ledger_state_check;
alter table ingest_ledger add constraint ingest_ledger_state_check
  check (state in ('waiting', 'ingested', 'split', 'duplicate', 'ignored', 'failed'));
