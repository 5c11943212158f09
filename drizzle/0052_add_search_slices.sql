-- compatible-from: 0051
-- The slices of the library, of which the facets of common words are counted. The index of strong words names them too, but takes 1.6 µs for
-- each document, this one 0.15; older code still asks that one.
create index document_search_slice_idx on document_search ((uuid_hash(document_id) & 255));
-- How many documents a slice has is known only then: without it, plans look at all that have the word.
analyze document_search;
