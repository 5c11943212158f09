-- The days and numbers are lost: the older schema has no place for them.
alter table documents drop column document_date, drop column archive_number;
