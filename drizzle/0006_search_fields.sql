-- Text as conditions compare it: without case and accents. An SQL body, as it keeps to the dictionary it was made with: an index
-- may be rebuilt where no schema is searched for it.
create function sheaf_plain(value text) returns text language sql immutable strict parallel safe
begin atomic
  select lower(unaccent('unaccent'::regdictionary, normalize(value, nfc)));
end;

-- "Contains" in titles and file names. Without a pending list: it would be read through by every search.
create index documents_plain_title_idx on documents using gin (sheaf_plain(title) gin_trgm_ops) with (fastupdate = off);
create index documents_plain_filename_idx on documents using gin (sheaf_plain(filename) gin_trgm_ops) with (fastupdate = off);
-- Which documents have a key. Most have none, so it is small.
create index documents_metadata_idx on documents using gin (metadata) with (fastupdate = off);
