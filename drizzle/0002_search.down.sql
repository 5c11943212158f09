drop trigger documents_copy_to_search on documents;
drop table document_search_parts, document_search, search_terms, search_totals, search_deltas;
drop function copy_document_to_search, count_document_search, sheaf_words;
do $$
declare
  name text;
begin
  for name in select cfgname from pg_ts_config where cfgname like 'sheaf\_%' and cfgnamespace = current_schema()::regnamespace loop
    execute format('drop text search configuration %I', name);
  end loop;
  for name in select dictname from pg_ts_dict where dictname like 'sheaf\_%' and dictnamespace = current_schema()::regnamespace loop
    execute format('drop text search dictionary %I', name);
  end loop;
end $$;
