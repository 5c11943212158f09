-- compatible-from: 0034
-- The e-invoices of documents: what they state and what was found out about them, or why the XML in a PDF could not be read.
create table document_einvoices (
  document_id uuid primary key references documents (id) on delete cascade,
  -- null where it could not be read
  invoice jsonb,
  rules text,
  violations jsonb not null default '[]',
  attachments jsonb not null default '[]',
  -- where the pages do not state what the XML does
  differences jsonb not null default '[]',
  error text,
  constraint document_einvoices_rules_check check (rules in ('en16931', 'sums')),
  constraint document_einvoices_read_check check ((invoice is null) = (rules is null) and (invoice is null) = (error is not null))
);
alter table documents add column has_einvoice boolean not null default false;
