-- Rules and what they have changed are lost: the older schema has no place for them. The documents stay as they are.
alter table documents drop column rules_due_at;
drop table rule_changes;
drop table rules;
