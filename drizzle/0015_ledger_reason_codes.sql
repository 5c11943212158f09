-- Why a file is in its state, for programs. What was written before has words alone, and gets its code when something happens to the file.
alter table ingest_ledger add column reason_code text, add column reason_details jsonb;
