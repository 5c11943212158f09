import type { Answer } from '../interface/call.ts';

/** What documents are filed by. */
export type FilingKind = 'correspondent' | 'document_type';

/** What entries of both kinds have. */
export type FilingEntry = Answer<'get /api/document-types/{id}'>;

const DOCUMENT_TYPES = {
  list: 'get /api/document-types',
  read: 'get /api/document-types/{id}',
  create: 'post /api/document-types',
  update: 'patch /api/document-types/{id}',
  remove: 'delete /api/document-types/{id}',
  merge: 'post /api/document-types/{id}/merge',
} as const;

const CORRESPONDENTS = {
  list: 'get /api/correspondents',
  read: 'get /api/correspondents/{id}',
  create: 'post /api/correspondents',
  update: 'patch /api/correspondents/{id}',
  remove: 'delete /api/correspondents/{id}',
  merge: 'post /api/correspondents/{id}/merge',
} as const;

/** Both kinds are asked in the same way; correspondents answer with more than the types say here. */
export const FILING_CALLS: Readonly<Record<FilingKind, typeof DOCUMENT_TYPES>> = {
  correspondent: CORRESPONDENTS as unknown as typeof DOCUMENT_TYPES,
  document_type: DOCUMENT_TYPES,
};
