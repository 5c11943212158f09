-- The numbers are lost: programs that use the Paperless-compatible API have to read everything again.
drop table paperless_ids;
