alter table saved_searches drop column view_rules;
