drop table roles;
drop function tell_roles_changed();
