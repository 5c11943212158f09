-- The notes are lost: the older schema has no place for them.
alter table documents drop column notes_count;
drop table document_notes;
