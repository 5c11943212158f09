-- Custom fields without a value are taken off their documents, also off those in the trash: the older schema has no place for them.
delete from document_fields where num_nonnulls(text_value, number_value, date_value, boolean_value, document_value) = 0;
delete from trashed_rows where table_name = 'document_fields' and num_nonnulls(content ->> 'text_value', content ->> 'number_value',
  content ->> 'date_value', content ->> 'boolean_value', content ->> 'document_value') = 0;
-- Whether a field has a value was the same as whether it is there.
update saved_searches set filters = replace(filters::text, '"kind": "valued"', '"kind": "given"')::jsonb where filters::text like '%"kind": "valued"%';
update rules set filters = replace(filters::text, '"kind": "valued"', '"kind": "given"')::jsonb where filters::text like '%"kind": "valued"%';
alter table document_fields drop constraint document_fields_one_value_check;
alter table document_fields add constraint document_fields_one_value_check check (
  num_nonnulls(text_value, number_value, date_value, boolean_value, document_value) = 1);
