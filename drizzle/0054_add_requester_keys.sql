-- compatible-from: 0053
-- The API key that an import or a backup was requested with: what is done later has no more rights than the key has then. No reference, as
-- it stays when the key is deleted.
alter table imports add column requested_key_id uuid;
alter table imports add column error_code text;
alter table backup_runs add column requested_key_id uuid;
