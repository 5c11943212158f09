update ingest_ledger set state = 'ingested' where state = 'split';
alter table ingest_ledger drop constraint ingest_ledger_state_check;
alter table ingest_ledger add constraint ingest_ledger_state_check
  check (state in ('waiting', 'ingested', 'duplicate', 'ignored', 'failed'));
