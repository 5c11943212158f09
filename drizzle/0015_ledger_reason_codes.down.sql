alter table ingest_ledger drop column reason_details, drop column reason_code;
