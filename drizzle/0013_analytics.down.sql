drop index ocr_jobs_ended_idx;
create index ocr_jobs_completed_at_idx on ocr_jobs (completed_at desc) where status = 'completed';
drop index documents_completed_at_idx, documents_figures_idx;
