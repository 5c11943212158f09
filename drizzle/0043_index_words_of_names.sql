-- compatible-from: 0041
-- Suggestions: names of correspondents and document types with a word that begins as typed. Without a pending list: it would be
-- read through by every suggestion.
create index correspondents_plain_name_idx on correspondents using gin (sheaf_plain(sheaf_words(name)) gin_trgm_ops) with (fastupdate = off);
create index document_types_plain_name_idx on document_types using gin (sheaf_plain(sheaf_words(name)) gin_trgm_ops) with (fastupdate = off);
