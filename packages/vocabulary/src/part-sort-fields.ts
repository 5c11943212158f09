// What the lists inside a document can be sorted by: every scalar field of their records.

export const NOTE_SORT_FIELDS = ['created_at', 'id', 'text'] as const;
export type NoteSortField = (typeof NOTE_SORT_FIELDS)[number];

export const VERSION_SORT_FIELDS = [
  'version',
  'created_at',
  'filename',
  'mime_type',
  'sha256',
  'size',
  'page_count',
  'source',
  'is_current',
] as const;

/** The last two are of the document that is similar. */
export const SIMILAR_SORT_FIELDS = ['similarity', 'title', 'created_at'] as const;

/** `position`: by kind, the best first. */
export const FACT_SORT_FIELDS = [
  'position',
  'id',
  'kind',
  'value',
  'page',
  'confidence',
  'rule',
  'is_ambiguous',
  'is_chosen',
  'is_confirmed',
] as const;

/** `position`: as they stand in the file. */
export const SIGNATURE_SORT_FIELDS = ['position', 'signer', 'signed_at', 'is_valid', 'covers_whole_document', 'reason'] as const;

export const PAGE_SORT_FIELDS = ['page', 'content', 'confidence', 'origin'] as const;
export type PageSortField = (typeof PAGE_SORT_FIELDS)[number];

export const RULE_CHANGE_SORT_FIELDS = ['changed_at', 'id', 'rule_id', 'rule_name', 'field', 'undone_at'] as const;
