create index ingest_ledger_created_at_idx on ingest_ledger (created_at desc, id);
drop index ingest_ledger_route_state_idx;
drop index ingest_ledger_sha256_idx;
drop index ingest_ledger_owner_idx;
drop index ingest_ledger_updated_at_idx;
alter table ingest_ledger drop column moved_to;
drop table watch_directories;
