-- Why a source does not do what it should, for programs. What was written before has words alone, and gets its code with the next run.
alter table sources add column last_error_code text, add column check_code text;
alter table sync_runs add column error_code text;
