-- Custom fields and their values are lost: the older schema has no place for them.
drop table document_fields;
drop table custom_fields;
