-- Correspondents and types are lost: the older schema has no place for them.
drop trigger documents_copy_names on documents;
drop trigger documents_copy_names_at_first on documents;
alter table documents drop column correspondent_id, drop column document_type_id, drop column correspondent_key,
  drop column document_type_key, drop column confirmed_fields;
drop table correspondents;
drop table document_types;
drop function documents_copy_names();
drop function correspondents_copy_name();
drop function document_types_copy_name();
