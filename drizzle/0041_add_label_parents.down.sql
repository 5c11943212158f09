-- Which label is below which is lost: the older schema has no place for it. The documents keep all their labels.
alter table labels drop column parent_id;
