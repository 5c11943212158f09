-- compatible-from: 0034
-- Fields that an instance gives its documents beside those that every document has, and their values.
create table custom_fields (
  id uuid primary key,
  name text not null,
  type text not null,
  -- what can be chosen, in the order in which it is offered
  choices text[] not null default '{}',
  -- offered for documents of this type only; null: for all
  document_type_id uuid references document_types (id) on delete set null,
  created_by uuid references users (id) on delete set null,
  created_at timestamptz not null default now(),
  constraint custom_fields_name_check check (char_length(name) between 1 and 100),
  constraint custom_fields_type_check check (
    type in ('text', 'long_text', 'number', 'amount', 'date', 'boolean', 'url', 'choice', 'document')),
  constraint custom_fields_choices_check check (cardinality(choices) <= 100 and (type = 'choice') = (cardinality(choices) > 0))
);
create unique index custom_fields_name_key on custom_fields (lower(name));
create index custom_fields_document_type_id_idx on custom_fields (document_type_id) where document_type_id is not null;
create index custom_fields_created_by_idx on custom_fields (created_by) where created_by is not null;
do $$
declare
  -- as titles are sorted
  for_people constant text := (select collname from pg_attribute join pg_collation on pg_collation.oid = attcollation
    where attrelid = 'documents'::regclass and attname = 'title_key');
begin
  execute format('alter table custom_fields add column name_key text collate %I not null generated always as (name) stored', for_people);
end $$;

create table document_fields (
  document_id uuid not null references documents (id) on delete cascade,
  field_id uuid not null references custom_fields (id) on delete cascade,
  -- of text, long_text, url and choice
  text_value text,
  -- of number and amount
  number_value numeric,
  currency text,
  date_value date,
  boolean_value boolean,
  -- a link goes with the document that it leads to
  document_value uuid references documents (id) on delete cascade,
  primary key (document_id, field_id),
  constraint document_fields_one_value_check check (num_nonnulls(text_value, number_value, date_value, boolean_value, document_value) = 1),
  constraint document_fields_text_check check (char_length(text_value) between 1 and 10000),
  constraint document_fields_number_check check (abs(number_value) < 1e15 and scale(number_value) <= 6),
  constraint document_fields_currency_check check (currency is null or (number_value is not null and currency ~ '^[A-Z]{3}$'))
);
-- each value of a field, whatever its type: those without a number stand at the end
create index document_fields_number_idx on document_fields (field_id, number_value);
create index document_fields_date_idx on document_fields (field_id, date_value) where date_value is not null;
create index document_fields_text_idx on document_fields (field_id, lower(left(text_value, 200))) where text_value is not null;
create index document_fields_document_value_idx on document_fields (document_value) where document_value is not null;
