-- Word statistics for each owner beside those over all documents: scores, corrections and suggestions of people who may read only
-- their own documents must not depend on the documents of others.
lock table document_search in share mode;

create table search_owner_terms (
  owner_id uuid not null,
  lexeme text collate "C" not null,
  documents integer not null,
  primary key (owner_id, lexeme)
) with (fillfactor = 80);
insert into search_owner_terms (owner_id, lexeme, documents)
select owner_id, lexeme, count(*) from document_search, unnest(tsvector_to_array(words)) as lexeme group by owner_id, lexeme;
-- Without the owner, which GiST takes from an extension only: an owner with many of the words finds near ones here, for one with few
-- the primary key gives all of them.
create index search_owner_terms_trigram_idx on search_owner_terms using gist (lexeme gist_trgm_ops (siglen = 32))
  where char_length(lexeme) between 3 and 40;

create table search_owner_totals (
  owner_id uuid not null,
  configuration text not null,
  documents bigint not null,
  length bigint not null,
  primary key (owner_id, configuration)
);
insert into search_owner_totals (owner_id, configuration, documents, length)
select owner_id, configuration, count(*), sum(length) from document_search group by owner_id, configuration;

-- Null: written before this migration, so counted above for its owner.
alter table search_deltas add column owner_id uuid;

-- An update that changes nothing of what is counted, such as that of a date, is none.
create or replace function count_document_search() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.owner_id, new.configuration, new.length, new.words) = (old.owner_id, old.configuration, old.length, old.words) then
    return null;
  end if;
  if tg_op <> 'INSERT' then
    insert into search_deltas (sign, owner_id, configuration, length, lexemes)
    values (-1, old.owner_id, old.configuration, old.length, strip(old.words));
  end if;
  if tg_op <> 'DELETE' then
    insert into search_deltas (sign, owner_id, configuration, length, lexemes)
    values (1, new.owner_id, new.configuration, new.length, strip(new.words));
  end if;
  return null;
end $$;
drop trigger document_search_count on document_search;
create trigger document_search_count after insert or delete or update of owner_id, words, configuration on document_search
  for each row execute function count_document_search();
