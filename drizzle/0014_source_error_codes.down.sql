alter table sync_runs drop column error_code;
alter table sources drop column check_code, drop column last_error_code;
