import {
  correspondentBody,
  createCorrespondentRequest,
  createDocumentTypeRequest,
  documentTypeBody,
  updateCorrespondentRequest,
  updateDocumentTypeRequest,
} from '@sheaf/contract/documents';
import type { Database } from '@sheaf/db';
import {
  CORRESPONDENTS,
  type CorrespondentDetail,
  DOCUMENT_TYPES,
  type EntryChanges,
  type EntryFields,
  type FilingEntry,
  type FilingKind,
} from '@sheaf/filing';
import type { AuditAction } from '@sheaf/vocabulary/audit-actions';
import type { z } from 'zod';
import type { Cursors } from '../http/cursor.ts';

/** What the routes of correspondents and document types use. */
export interface FilingServices {
  readonly database: Database;
  readonly cursors: Cursors;
}

/** What distinguishes the routes of one kind from those of the other. `C` creates an entry, `U` changes one, and `B` describes it. */
export interface FilingResource<D extends string, C, U, B extends object> {
  readonly kind: FilingKind<D>;
  readonly path: '/api/correspondents' | '/api/document-types';
  /** As summaries name them. */
  readonly one: string;
  readonly many: string;
  readonly errors: { readonly [code: string]: 'NOT_FOUND' };
  readonly deleted: AuditAction;
  readonly merged: AuditAction;
  readonly createRequest: z.ZodType<C>;
  readonly updateRequest: z.ZodType<U>;
  readonly body: z.ZodType<B>;
  readonly toFields: (request: C) => EntryFields<D>;
  readonly toChanges: (request: U) => EntryChanges<D>;
  readonly toBody: (entry: FilingEntry<D>) => B;
}

const toBaseBody = (entry: FilingEntry<string>) => ({
  id: entry.id,
  name: entry.name,
  document_count: entry.documents,
  created_by: entry.createdBy,
  created_at: entry.createdAt.toISOString(),
});

type CreateCorrespondent = z.infer<typeof createCorrespondentRequest>;
type UpdateCorrespondent = z.infer<typeof updateCorrespondentRequest>;
type CorrespondentBody = z.infer<typeof correspondentBody>;

export const CORRESPONDENT_RESOURCE: FilingResource<CorrespondentDetail, CreateCorrespondent, UpdateCorrespondent, CorrespondentBody> = {
  kind: CORRESPONDENTS,
  path: '/api/correspondents',
  one: 'a correspondent',
  many: 'correspondents',
  errors: { CORRESPONDENT_NOT_FOUND: 'NOT_FOUND' },
  deleted: 'correspondent.deleted',
  merged: 'correspondent.merged',
  createRequest: createCorrespondentRequest,
  updateRequest: updateCorrespondentRequest,
  body: correspondentBody,
  toFields: ({ name, vat_ids: vatIds, ...lists }) => ({ name, details: { ...lists, vatIds } }),
  toChanges: ({ name, vat_ids: vatIds, ...lists }) => ({ name, details: { ...lists, vatIds } }),
  toBody: (entry) => ({
    ...toBaseBody(entry),
    aliases: [...entry.details.aliases],
    ibans: [...entry.details.ibans],
    vat_ids: [...entry.details.vatIds],
    domains: [...entry.details.domains],
  }),
};

type CreateDocumentType = z.infer<typeof createDocumentTypeRequest>;
type UpdateDocumentType = z.infer<typeof updateDocumentTypeRequest>;
type DocumentTypeBody = z.infer<typeof documentTypeBody>;

export const DOCUMENT_TYPE_RESOURCE: FilingResource<never, CreateDocumentType, UpdateDocumentType, DocumentTypeBody> = {
  kind: DOCUMENT_TYPES,
  path: '/api/document-types',
  one: 'a document type',
  many: 'document types',
  errors: { DOCUMENT_TYPE_NOT_FOUND: 'NOT_FOUND' },
  deleted: 'document_type.deleted',
  merged: 'document_type.merged',
  createRequest: createDocumentTypeRequest,
  updateRequest: updateDocumentTypeRequest,
  body: documentTypeBody,
  toFields: ({ name }) => ({ name, details: {} }),
  toChanges: (request) => request,
  toBody: toBaseBody,
};
