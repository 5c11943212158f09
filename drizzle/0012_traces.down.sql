alter table ocr_jobs drop column trace_context;
