alter table document_pages drop column is_stale;
alter table ocr_jobs drop column spent_ms;
alter table ocr_jobs drop column claimed_at;
alter table processes drop column facts;
drop table settings;
