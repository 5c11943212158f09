-- What the text of pages and documents was found to be in, as codes of tesseract. Null: not found out, or processed by an older version.
alter table document_pages add column language text;
alter table documents add column language text;
-- What scanned pages of the document are in though no OCR worker has the data for it.
alter table documents add column missing_language text;
create index documents_missing_language_idx on documents (missing_language) where missing_language is not null;
create index documents_language_idx on documents (language, created_at, id);
create index documents_owner_language_idx on documents (owner_id, completed_at desc) where language is not null;
alter table document_search add column language text;
