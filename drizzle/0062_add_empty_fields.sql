-- A custom field can be on a document without a value.
alter table document_fields drop constraint document_fields_one_value_check;
alter table document_fields add constraint document_fields_one_value_check check (
  num_nonnulls(text_value, number_value, date_value, boolean_value, document_value) <= 1);
