-- Custom fields whose values are integers, and the currency that a field of amounts offers first.
alter table custom_fields drop constraint custom_fields_type_check;
alter table custom_fields add constraint custom_fields_type_check check (
  type in ('text', 'long_text', 'number', 'integer', 'amount', 'date', 'boolean', 'url', 'choice', 'document'));
alter table custom_fields add column default_currency text
  constraint custom_fields_currency_check check (
    default_currency is null or (type = 'amount' and default_currency ~ '^[A-Z]{3}$'));
