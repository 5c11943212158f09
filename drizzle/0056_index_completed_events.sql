-- compatible-from: 0055
-- Documents that were completed today are counted by what happened, not by the state that their jobs have now.
create index events_completed_idx on events (created_at, owner_id) where type = 'ocr_progress' and data ->> 'status' = 'completed';
