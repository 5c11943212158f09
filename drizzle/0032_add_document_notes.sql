-- compatible-from: 0031
-- Notes of people about a document. How many there are stands in the document's own row, so that lists need not count them.
create table document_notes (
  id uuid primary key,
  document_id uuid not null references documents (id) on delete cascade,
  -- null once the author is gone: what was noted stays
  author_id uuid references users (id) on delete set null,
  text text not null,
  created_at timestamptz not null default now(),
  constraint document_notes_text_check check (char_length(text) between 1 and 10000)
);
create index document_notes_document_id_idx on document_notes (document_id, created_at, id);
create index document_notes_author_id_idx on document_notes (author_id) where author_id is not null;
alter table documents add column notes_count integer not null default 0;
