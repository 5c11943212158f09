/**
 * Tables whose rows go to the trash with their document and come back as they were, those first that others refer to. Each goes by its
 * column `document_id`, but for the document itself. A test compares all of these lists with the tables that refer to documents.
 */
export const KEPT_TABLES = [
  'documents',
  'document_pages',
  'document_labels',
  'document_facts',
  'document_einvoices',
  'document_notes',
  'document_fields',
  'document_versions',
  'document_version_pages',
  'rule_changes',
  'minhash_signatures',
  'near_duplicates',
  'shares',
  'saved_search_candidates',
  'ocr_jobs',
] as const;
export type KeptTable = (typeof KEPT_TABLES)[number];

/** Tables whose rows outlive a document and forget it: what comes back points to it again where they still are about the same bytes. */
export const POINTING_TABLES = ['ingest_ledger', 'source_files'] as const;

/** Tables of which it is only kept that there was a row: what comes back is indexed anew. */
export const INDEX_TABLE = 'document_search';
/** Tables that are filled anew from the pages of what comes back. */
export const REMADE_TABLES = ['document_search_parts'] as const;
