alter table backup_runs drop column requested_key_id;
alter table imports drop column error_code;
alter table imports drop column requested_key_id;
