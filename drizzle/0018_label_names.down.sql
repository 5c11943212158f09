-- Of labels with one name the oldest keeps it; the others get a part of their id behind it.
update labels set name = left(name, 86) || ' (' || right(id::text, 12) || ')'
where exists (select from labels as older where lower(older.name) = lower(labels.name) and older.id < labels.id);
drop index labels_name_key;
create unique index labels_name_key on labels (lower(name));
