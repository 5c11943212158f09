-- Where the words of a page stand, as packages/page-words writes it. It is deflated already, and no list reads it: long ones are
-- kept beside the row.
alter table document_pages add column words bytea;
alter table document_pages alter column words set storage external;
