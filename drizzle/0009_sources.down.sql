drop table notifications;
alter table documents drop column source_removed_at;
drop index ingest_ledger_source_path_key;
drop table source_files;
drop table sync_runs;
drop table sources;
