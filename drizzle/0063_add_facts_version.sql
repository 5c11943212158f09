-- compatible-from: 0062
-- By which version of the fact finder the facts of a document were found; null where they were not, or by one without a number.
alter table documents add column facts_version smallint;
