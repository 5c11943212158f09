-- compatible-from: 0034
-- Labels below others. A document with a label has all labels above it as well, so that nothing that counts or filters has to climb.
alter table labels add column parent_id uuid references labels (id) on delete set null;
create index labels_parent_id_idx on labels (parent_id) where parent_id is not null;
