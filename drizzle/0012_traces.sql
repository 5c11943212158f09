-- A job goes on with the trace that its document came in with: version, trace, span and flags of W3C Trace Context, 55 characters.
alter table ocr_jobs add column trace_context text constraint ocr_jobs_trace_context_length check (length(trace_context) = 55);
