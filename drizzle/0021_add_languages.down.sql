alter table document_search drop column language;
drop index documents_owner_language_idx;
drop index documents_language_idx;
drop index documents_missing_language_idx;
alter table documents drop column missing_language;
alter table documents drop column language;
alter table document_pages drop column language;
