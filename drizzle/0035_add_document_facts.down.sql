-- The facts are lost: the older schema has no place for them.
alter table documents drop column facts_found_at;
drop table document_facts;
