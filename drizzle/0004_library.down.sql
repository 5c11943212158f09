drop index ingest_ledger_document_id_idx;
drop trigger document_labels_count on document_labels;
drop trigger documents_count_delete on documents;
drop trigger documents_count_update on documents;
drop trigger documents_count_insert on documents;
drop function count_document_label, count_document, document_month;
drop table document_tally_deltas, document_tallies;

alter table document_labels reset (parallel_workers);
alter table documents reset (parallel_workers);

drop index document_labels_label_id_idx;
create index document_labels_label_id_idx on document_labels (label_id);

drop index documents_source_id_idx,
  documents_own_by_ocr_confidence_idx, documents_own_by_mime_type_idx, documents_own_by_status_idx, documents_own_by_size_idx,
  documents_own_by_filename_idx, documents_own_by_title_idx, documents_own_by_updated_at_idx, documents_own_by_created_at_idx,
  documents_by_ocr_confidence_idx, documents_by_mime_type_idx, documents_by_status_idx, documents_by_size_idx,
  documents_by_filename_idx, documents_by_title_idx, documents_by_updated_at_idx, documents_by_created_at_idx;
create index documents_created_at_idx on documents (created_at desc, id);
create index documents_owner_created_at_idx on documents (owner_id, created_at desc, id);
create index documents_status_idx on documents (status) where status <> 'completed';

alter table labels drop column name_key;
alter table documents drop column title_key, drop column filename_key;
