drop index events_completed_idx;
