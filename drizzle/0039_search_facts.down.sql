drop trigger documents_copy_facts_to_search on documents;
drop function copy_facts_to_search();
alter table document_search drop column document_date, drop column correspondent_id, drop column document_type_id;
