-- The words of a text that a hyphen parts at the end of a line, joined: what documents are found by beside their halves.
create function sheaf_joined_words(content text) returns text language sql immutable strict parallel safe as $$
  select coalesce(string_agg(part[1] || part[2], ' '), '')
  from regexp_matches(content, '([[:alpha:]]{2,40})[-\u2010\u00ad][ \t\r]*\n[ \t]*([[:lower:]][[:alpha:]]{1,40})', 'g') as part
$$;
