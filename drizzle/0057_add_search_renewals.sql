-- compatible-from: 0056
-- How far the search entries of documents were compared with what a newer version writes for them, and renewed.
create table search_renewals (
  version integer primary key,
  position uuid,
  compared integer not null default 0,
  renewed integer not null default 0,
  finished_at timestamptz
);
