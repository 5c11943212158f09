/** Why a document could not be read. They stand in `documents.error_code`; each has a message `failures.*` in the catalogues. */
export const FAILURE_REASONS = [
  'encrypted',
  'corrupt',
  'unsupported',
  'too_large',
  'unpacks_too_large',
  'unsafe_xml',
  'too_many_pages',
  'timeout',
  'tool_missing',
  'language_missing',
  'ocr_refused',
  'ocr_unavailable',
  'memory_exceeded',
  'reader_died',
  'storage',
  'no_readable_page',
  'internal',
  'cancelled',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** Reasons that no second try can change. */
export const PERMANENT_FAILURES: ReadonlySet<FailureReason> = new Set([
  'encrypted',
  'corrupt',
  'unsupported',
  'too_large',
  'unpacks_too_large',
  'unsafe_xml',
  'too_many_pages',
  'memory_exceeded',
  'ocr_refused',
  'cancelled',
]);
