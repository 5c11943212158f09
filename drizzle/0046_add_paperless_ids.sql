-- compatible-from: 0043
-- The integers that the Paperless-compatible API has for ids of documents, labels and so on. One sequence for all kinds: no number is given twice.
create table paperless_ids (
  number integer generated always as identity primary key,
  kind text not null,
  object_id uuid not null,
  constraint paperless_ids_object_key unique (object_id, kind)
);
