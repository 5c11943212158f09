-- Integers are numbers again.
update custom_fields set type = 'number' where type = 'integer';
alter table custom_fields drop column default_currency;
alter table custom_fields drop constraint custom_fields_type_check;
alter table custom_fields add constraint custom_fields_type_check check (
  type in ('text', 'long_text', 'number', 'amount', 'date', 'boolean', 'url', 'choice', 'document'));
