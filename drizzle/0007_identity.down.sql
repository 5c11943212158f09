drop trigger users_tell_change on users;
drop trigger sessions_tell_revoked on sessions;
drop trigger sessions_tell_deleted on sessions;
drop table audit_log;
drop table login_failures;
drop table one_time_tokens;
drop table recovery_codes;
drop table mfa_devices;
drop table api_keys;
drop function tell_identity_changed();
alter table sessions drop column kind, drop column cookie_hash, drop column refresh_number, drop column idle_expires_at,
  drop column last_seen_at, drop column is_remembered, drop column method;
alter table users drop column auth_method, drop column external_id, drop column external_groups, drop column email_verified_at,
  drop column password_changed_at, drop column mfa_required_since;
