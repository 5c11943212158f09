-- Archive numbers are unique among the documents of one owner: a number of somebody else's document says nothing to whoever may not see it.
drop index documents_archive_number_key;
create unique index documents_archive_number_key on documents (owner_id, archive_number) where archive_number is not null;
