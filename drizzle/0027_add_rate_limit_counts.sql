-- compatible-from: 0026
-- How much each subject of a rate limit has done in its window, over all api processes. Unlogged: counts of a minute are not worth
-- writing twice, and a server that crashes begins new windows.
create unlogged table rate_limit_counts (
  subject text primary key,
  points integer not null,
  ends_at timestamptz not null
) with (fillfactor = 50);
create index rate_limit_counts_ends_at_idx on rate_limit_counts (ends_at);

-- Second factors decide what their user may do where they are demanded. Their use alone changes nothing.
create trigger mfa_devices_tell_new after insert on mfa_devices for each row when (new.enabled_at is not null)
  execute function tell_identity_changed('user_id');
create trigger mfa_devices_tell_enabled after update of enabled_at on mfa_devices for each row
  execute function tell_identity_changed('user_id');
create trigger mfa_devices_tell_deleted after delete on mfa_devices for each row execute function tell_identity_changed('user_id');
