-- compatible-from: 0034
-- Rules of users: what is set on documents that match, and what each rule has changed, so that it can be told and undone.
create table rules (
  id uuid primary key,
  -- a rule may do what this user may do
  created_by uuid not null references users (id) on delete cascade,
  name text not null,
  -- in the language of the search; empty: by the filters alone
  query text not null default '',
  filters jsonb not null default '{}',
  actions jsonb not null,
  position integer not null,
  is_enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint rules_name_check check (char_length(name) between 1 and 100),
  constraint rules_position_check check (position > 0)
);
create index rules_created_by_idx on rules (created_by, position, id);
create table rule_changes (
  id uuid primary key,
  -- null once the rule is gone: what it did is still told
  rule_id uuid references rules (id) on delete set null,
  rule_name text not null,
  document_id uuid not null references documents (id) on delete cascade,
  field text not null,
  from_value jsonb,
  to_value jsonb not null,
  changed_at timestamptz not null default now(),
  undone_at timestamptz
);
create index rule_changes_document_id_idx on rule_changes (document_id, changed_at, id);
create index rule_changes_rule_id_idx on rule_changes (rule_id, changed_at, id) where rule_id is not null;
-- since when the rules are to be applied to a document; null: they are not
alter table documents add column rules_due_at timestamptz;
create index documents_rules_due_at_idx on documents (rules_due_at) where rules_due_at is not null;
