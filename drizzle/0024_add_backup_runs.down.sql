drop table backup_runs;
