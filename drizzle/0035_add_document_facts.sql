-- compatible-from: 0034
-- What documents state, as it was found in their text: at most ten candidates of each kind.
create table document_facts (
  id uuid primary key,
  document_id uuid not null references documents (id) on delete cascade,
  kind text not null,
  value text not null,
  page integer,
  -- in fractions of the page from its top left corner
  x real,
  y real,
  width real,
  height real,
  confidence real not null,
  rule text not null,
  is_ambiguous boolean not null default false,
  -- of an ambiguous date: the order in which its numbers give this value
  date_order text,
  is_chosen boolean not null default false,
  correspondent_id uuid references correspondents (id) on delete set null,
  rank smallint not null,
  constraint document_facts_value_check check (char_length(value) between 1 and 200),
  constraint document_facts_value_key unique (document_id, kind, value)
);
create index document_facts_correspondent_id_idx on document_facts (correspondent_id) where correspondent_id is not null;
-- when facts were last looked for; null where they were not
alter table documents add column facts_found_at timestamptz;
-- so far only people gave documents a date
update documents set confirmed_fields = confirmed_fields || '{document_date}'::text[]
  where document_date is not null and not 'document_date' = any (confirmed_fields);
