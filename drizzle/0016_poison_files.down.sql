drop table import_attempts;
drop index ocr_jobs_one_suspect_key;
alter table ocr_jobs drop column processing_since, drop column crashes, drop column is_suspect;
