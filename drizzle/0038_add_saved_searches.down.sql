-- Saved searches are lost, and what was notified of them: the older schema has no place for the one, and older code does not know the other.
drop trigger documents_queue_for_saved_searches on documents;
drop function documents_queue_for_saved_searches();
drop table saved_search_candidates;
drop table saved_search_pins;
drop table saved_searches;
delete from deliveries where payload ->> 'type' = 'saved_search_match';
delete from notifications where type = 'saved_search_match';
