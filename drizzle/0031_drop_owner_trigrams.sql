-- The words near to another one are found among those of all owners, then those are kept that the owner has: the trigrams of the
-- words of each owner took a tenth of all that is kept to search.
drop index search_owner_terms_trigram_idx;
