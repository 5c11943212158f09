-- Text search configurations: one a language PostgreSQL 15 has a stemmer for, and `sheaf_simple` for all others. In each a word
-- meets the stop words of its language as it is written, then loses its accents, then its endings.
do $$
declare
  language text;
  dictionaries text;
begin
  create text search configuration sheaf_simple (copy = pg_catalog.simple);
  alter text search configuration sheaf_simple
    alter mapping for asciiword, word, numword, asciihword, hword, numhword, hword_asciipart, hword_part, hword_numpart
    with unaccent, pg_catalog.simple;
  foreach language in array array[
      'arabic', 'armenian', 'basque', 'catalan', 'danish', 'dutch', 'english', 'finnish',
      'french', 'german', 'greek', 'hindi', 'hungarian', 'indonesian', 'irish', 'italian',
      'lithuanian', 'nepali', 'norwegian', 'portuguese', 'romanian', 'russian', 'serbian', 'spanish',
      'swedish', 'tamil', 'turkish', 'yiddish']
  loop
    dictionaries := format('unaccent, pg_catalog.%I', language || '_stem');
    if exists (select from pg_ts_dict where dictname = language || '_stem' and dictinitoption like '%stopwords%') then
      execute format('create text search dictionary %I (template = pg_catalog.simple, stopwords = %L, accept = false)',
        'sheaf_' || language || '_stop', language);
      dictionaries := format('%I, ', 'sheaf_' || language || '_stop') || dictionaries;
    end if;
    execute format('create text search configuration %I (copy = pg_catalog.%I)', 'sheaf_' || language, language);
    execute format('alter text search configuration %I
      alter mapping for asciiword, word, numword, asciihword, hword, numhword, hword_asciipart, hword_part, hword_numpart with %s',
      'sheaf_' || language, dictionaries);
  end loop;
end $$;

-- Text as documents, queries and highlights all give it to the parser: every ASCII sign becomes a space, so that the parser
-- sees words and numbers and never takes a piece of text for an address, a path, a tag or a signed number; soft hyphens go;
-- and where a script does not part its words, each character is followed by a bar and so becomes a word of its own.
-- Nothing else changes: the characters of the result can be counted back to those of the text.
-- Regular expressions, as translate() takes longer than all the rest of the indexing.
create function sheaf_words(content text) returns text language sql immutable strict parallel safe as $$
  select regexp_replace(replace(regexp_replace(content, '[!-/:-@[-`{-~]', ' ', 'g'), U&'\00ad', ''), '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff])', '\1|', 'g')
$$;

-- One row a searchable document. Narrow, and its vector inline where it fits into a page: a common word is then read in a
-- quarter of the time. Owner, type and date are copies, so that filter, visibility and facets need no second table.
create table document_search (
  document_id uuid primary key references documents (id) on delete cascade,
  owner_id uuid not null,
  created_at timestamptz not null,
  -- Words in `words`, for BM25.
  length integer not null check (length >= 0),
  -- Has more words than positions: phrases are looked for in the parts as well.
  is_long boolean not null,
  -- Has more different words than PostgreSQL can hold: the last ones are left out.
  is_truncated boolean not null,
  configuration text not null,
  mime_type text not null,
  -- Title with weight A, file name with weight B, then the text.
  words tsvector not null
) with (toast_tuple_target = 8160);
alter table document_search alter column words set storage main;
-- Without a pending list: it would be read through by every search.
create index document_search_words_idx on document_search using gin (words) with (fastupdate = off);
create index document_search_owner_id_idx on document_search (owner_id);

-- The pages of documents with more than one, long pages in several parts: where the best hit is, and phrases beyond the last
-- position a vector can hold. `start` is the part's first character on its page, from 1. A long document has a part around each
-- page border as well, for phrases across it.
create table document_search_parts (
  document_id uuid not null references documents (id) on delete cascade,
  part integer not null,
  page integer not null,
  start integer not null,
  is_border boolean not null,
  words tsvector not null,
  primary key (document_id, part)
) with (toast_tuple_target = 128);
alter table document_search_parts alter column words set storage main;

-- In how many documents a word is: what stands here plus what stands in search_deltas. Writers only append, so common words
-- are no hot rows; compaction moves the deltas here.
create table search_terms (
  lexeme text collate "C" primary key,
  documents integer not null
) with (fillfactor = 80);
create index search_terms_trigram_idx on search_terms using gist (lexeme gist_trgm_ops (siglen = 32))
  where char_length(lexeme) between 3 and 40;

create table search_totals (
  configuration text primary key,
  documents bigint not null,
  length bigint not null
);

create table search_deltas (
  id bigint generated always as identity primary key,
  sign smallint not null check (sign in (-1, 1)),
  configuration text not null,
  length integer not null,
  lexemes tsvector not null
);

-- A trigger, because it cannot be forgotten: rows also go when their document is deleted.
create function count_document_search() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    insert into search_deltas (sign, configuration, length, lexemes) values (-1, old.configuration, old.length, strip(old.words));
  end if;
  if tg_op <> 'DELETE' then
    insert into search_deltas (sign, configuration, length, lexemes) values (1, new.configuration, new.length, strip(new.words));
  end if;
  return null;
end $$;
create trigger document_search_count after insert or delete or update of words, configuration on document_search
  for each row execute function count_document_search();

-- The copies follow their document.
create function copy_document_to_search() returns trigger language plpgsql as $$
begin
  update document_search set owner_id = new.owner_id, created_at = new.created_at, mime_type = new.mime_type
  where document_id = new.id;
  return null;
end $$;
create trigger documents_copy_to_search after update of owner_id, created_at, mime_type on documents
  for each row execute function copy_document_to_search();
