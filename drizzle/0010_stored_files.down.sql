drop table stored_file_checks;
