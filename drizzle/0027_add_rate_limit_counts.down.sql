drop trigger mfa_devices_tell_deleted on mfa_devices;
drop trigger mfa_devices_tell_enabled on mfa_devices;
drop trigger mfa_devices_tell_new on mfa_devices;
drop table rate_limit_counts;
