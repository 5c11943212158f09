-- The words of a text that a hyphen parts at the end of a line, joined: what documents are found by beside their halves. Line by
-- line: one regular expression over the whole text takes longer than all the rest of the indexing.
create function sheaf_joined_words(content text) returns text language sql immutable strict parallel safe as $$
  select coalesce(string_agg(first || second, ' ' order by number), '')
  from (
    select number, substring(right(line, 41) from '([[:alpha:]]{2,40}).$') as first,
      substring(left(ltrim(next, E' \t'), 41) from '^([[:lower:]][[:alpha:]]+)') as second
    from (
      select number, rtrim(line, E' \t\r') as line, lead(line) over (order by number) as next
      from string_to_table(content, E'\n') with ordinality as given (line, number)
    ) as lines
    where right(line, 1) in ('-', U&'\2010', U&'\00ad')
  ) as parts
$$;
