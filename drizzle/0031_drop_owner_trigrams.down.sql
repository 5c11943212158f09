create index search_owner_terms_trigram_idx on search_owner_terms using gist (lexeme gist_trgm_ops (siglen = 32))
  where char_length(lexeme) between 3 and 40;
