drop trigger document_search_count on document_search;
create or replace function count_document_search() returns trigger language plpgsql as $$
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

drop table search_owner_totals;
drop table search_owner_terms;
alter table search_deltas drop column owner_id;
