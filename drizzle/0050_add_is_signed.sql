-- compatible-from: 0041
-- Whether the file of a document has digital signatures, as far as it was processed since.
alter table documents add column is_signed boolean not null default false;
