-- Two people who cannot see each other's labels may each have one of the same name: a name that is refused would tell of a label that
-- nobody may know of. Among the labels that one can see names stay unique; that takes permissions, so the api looks after it under a
-- lock. The index still finds labels by name, and keeps one person from having a name twice.
drop index labels_name_key;
create unique index labels_name_key on labels (lower(name), created_by);
