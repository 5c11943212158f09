-- Which words a document is strong in: those that stand often in it for its length, that fill a short one, or that stand in its
-- title. One number for each, made of the word and a class: how often it is there (`frequencies`), how long the document is
-- (`lengths`), and how often it stands in the title (0, 1, 2 or more). Two words may share a number: then a document is looked at
-- in vain. packages/search/src/strong-words.ts has the same classes.
create function sheaf_strong_keys(words text[], classes integer[]) returns integer[] language sql immutable strict parallel safe as $$
  select array_agg(hashtext(word || chr(256 + class))) from unnest(words) as word, unnest(classes) as class
$$;

-- The last number is the slice of the library, one of 256, that a document is in: its matches stand for all of them. The cost
-- keeps plans from asking row by row, and as it makes them look dear, they may not start workers for the few rows that they read.
create function sheaf_strong_words(document_id uuid, words tsvector, length integer) returns integer[]
language sql immutable strict parallel restricted cost 10000 as $$
  select array_agg(hashtext(lexeme || chr(256
      + width_bucket(frequency, array[1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 23, 32, 64])
      + 16 * width_bucket(length, array[0, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192,
        12288, 16384, 32768])
      + 512 * titles))) || (uuid_hash(document_id) & 255)
  from (
    select lexeme, cardinality(positions) as frequency, least(cardinality(array_positions(weights, 'A')), 2) as titles
    from unnest(words) as word (lexeme, positions, weights)
    offset 0
  ) as counted
  where titles > 0 or frequency >= 3 and frequency * 512 >= length or frequency * 50 >= length
$$;

-- The best documents of a common word without a look at all the others.
create index document_search_strong_idx on document_search
  using gin (sheaf_strong_words(document_id, words, length), owner_id) with (fastupdate = off);
