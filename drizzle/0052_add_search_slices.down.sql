drop index document_search_slice_idx;
