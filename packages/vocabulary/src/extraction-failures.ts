/** Why a document could not be read, in words for the person who sent it. The keys stand in `documents.error_code`. */
export const FAILURE_MESSAGES = {
  encrypted: 'The file is password-protected. Remove the password and upload it again.',
  corrupt: 'The file is damaged and cannot be opened.',
  unsupported: 'Files of this type cannot be processed.',
  too_large: 'The file exceeds the size limit for processing. It is stored but its text is not searchable.',
  unpacks_too_large: 'The uncompressed size of the file exceeds the limit, so it was not opened.',
  too_many_pages: 'The file exceeds the page limit.',
  timeout: 'Processing exceeded the time limit.',
  tool_missing: 'A program required to process this type of file is not installed.',
  language_missing: 'The language data for OCR is not installed.',
  ocr_refused: 'The cloud OCR service rejected the request. An administrator must check CLOUD_OCR_ENDPOINT and CLOUD_OCR_KEY.',
  ocr_unavailable: 'The cloud OCR service could not be reached.',
  memory_exceeded: 'Processing this file exceeds the memory limit. An administrator can increase MEMORY_LIMIT_MB.',
  reader_died: 'The processing program crashed on every attempt with this file.',
  storage: 'The stored file could not be opened.',
  no_readable_page: 'No page of the file could be processed.',
  internal: 'Processing failed with an internal error. See the log of the service.',
  cancelled: 'Processing was cancelled.',
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
