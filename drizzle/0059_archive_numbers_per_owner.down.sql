-- The oldest document keeps a number that several have.
update documents set archive_number = null where archive_number is not null and exists (
  select from documents as other where other.archive_number = documents.archive_number and other.id < documents.id);
drop index documents_archive_number_key;
create unique index documents_archive_number_key on documents (archive_number) where archive_number is not null;
