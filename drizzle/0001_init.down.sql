drop table processes, events, ingest_ledger, ocr_jobs, document_pages, document_labels, documents, labels, sessions, users;
drop extension btree_gin;
drop extension unaccent;
drop extension pg_trgm;
