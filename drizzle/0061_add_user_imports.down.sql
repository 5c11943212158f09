-- Users that an unfinished import did not make yet have to be imported again.
drop table user_import_entries;
drop table user_imports;
