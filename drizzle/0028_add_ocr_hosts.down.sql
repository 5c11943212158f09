drop trigger documents_pass_on_job_language on documents;
drop trigger ocr_jobs_set_language on ocr_jobs;
drop function pass_on_job_language();
drop function set_job_language();
drop function job_language_of(documents);
alter table ocr_jobs drop column ocr_language;
drop table ocr_hosts;
