drop index document_search_strong_idx;
drop function sheaf_strong_words(uuid, tsvector, integer);
drop function sheaf_strong_keys(text[], integer[]);
