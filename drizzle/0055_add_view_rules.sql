-- compatible-from: 0054
-- The rules of a saved view as an app for Paperless-ngx sent them, until its query or filters change.
alter table saved_searches add column view_rules jsonb constraint saved_searches_view_rules_check check (char_length(view_rules::text) <= 100000);
