-- compatible-from: 0026
-- Which languages the OCR workers of a host recognise, and when one of them last said so. Rows outlive a restart of the host, so that its
-- jobs wait for it.
create table ocr_hosts (
  host text primary key,
  languages text[] not null,
  seen_at timestamptz not null default now()
);

-- What a host has to recognise to take a job: the OCR language of its document, or auto where nothing has to be recognised. Kept by
-- triggers, so that it is right whoever queues a document or changes its language.
alter table ocr_jobs add column ocr_language text not null default 'auto';
create index ocr_jobs_language_due_idx on ocr_jobs (ocr_language, priority desc, due_at, id) where status = 'pending';

create function job_language_of(document documents) returns text language sql immutable as $$
  select case when document.ocr_enabled and document.mime_type not like 'text/%' then document.ocr_language else 'auto' end
$$;

create function set_job_language() returns trigger language plpgsql as $$
begin
  new.ocr_language := coalesce((select job_language_of(documents) from documents where id = new.document_id), 'auto');
  return new;
end $$;
create trigger ocr_jobs_set_language before insert on ocr_jobs for each row execute function set_job_language();

create function pass_on_job_language() returns trigger language plpgsql as $$
begin
  update ocr_jobs set ocr_language = job_language_of(new) where document_id = new.id and ocr_language <> job_language_of(new);
  return null;
end $$;
create trigger documents_pass_on_job_language after update of ocr_language, ocr_enabled, mime_type on documents
  for each row execute function pass_on_job_language();

update ocr_jobs set ocr_language = job_language_of(documents) from documents where documents.id = ocr_jobs.document_id;
