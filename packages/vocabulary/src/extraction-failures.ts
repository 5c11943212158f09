/** Why a document could not be read, in words for the person who sent it. The keys stand in `documents.error_code`. */
export const FAILURE_MESSAGES = {
  encrypted: 'The file is protected by a password; remove the protection and upload it again',
  corrupt: 'The file is damaged and cannot be opened',
  unsupported: 'Files of this kind cannot be read',
  too_large: 'The file is larger than this service reads; it is kept but not indexed',
  unpacks_too_large: 'The file would unpack to far more than a document needs, so it was not opened',
  too_many_pages: 'The file has more pages than this service reads',
  timeout: 'Reading took longer than the time limit',
  tool_missing: 'A program that is needed to read this kind of file is not installed',
  language_missing: 'The language data for recognition is not installed',
  ocr_refused: 'The cloud recognition service refuses this service; an administrator must check CLOUD_OCR_ENDPOINT and CLOUD_OCR_KEY',
  ocr_unavailable: 'The cloud recognition service could not be reached',
  memory_exceeded: 'Processing this file takes more memory than this service may use; an administrator can raise MEMORY_LIMIT_MB',
  reader_died: 'Reading this file ended the reader program each time it was tried',
  storage: 'The stored file could not be read back',
  no_readable_page: 'No page of the file could be read',
  internal: 'Reading failed by an error of the service; it has been logged',
  cancelled: 'Reading was cancelled',
} as const;
export type FailureReason = keyof typeof FAILURE_MESSAGES;

/** Reasons that no second try can change. */
export const PERMANENT_FAILURES: ReadonlySet<FailureReason> = new Set([
  'encrypted',
  'corrupt',
  'unsupported',
  'too_large',
  'unpacks_too_large',
  'too_many_pages',
  'memory_exceeded',
  'ocr_refused',
  'cancelled',
]);
