import type { Operation } from '../../../interface/call.ts';

/** What shows something of the file of a document. */
export const SHOWS_FILE: readonly Operation[] = [
  'get /api/documents',
  'get /api/documents/{id}',
  'get /api/documents/{id}/pages',
  'get /api/documents/{id}/versions',
];
