import { recordAudit } from '@sheaf/accounts/users';
import {
  correspondentBody,
  createCorrespondentRequest,
  createDocumentTypeRequest,
  documentTypeBody,
  filingListQuery,
  mergeRequest,
  updateCorrespondentRequest,
  updateDocumentTypeRequest,
} from '@sheaf/contract/documents';
import type { Database, Db } from '@sheaf/db';
import {
  CORRESPONDENTS,
  type CorrespondentDetail,
  createEntry,
  DOCUMENT_TYPES,
  deleteEntry,
  type EntryChanges,
  type EntryFields,
  emitDocumentUpdates,
  type FilingEntry,
  type FilingKind,
  getEntry,
  listEntries,
  listEntriesAfter,
  lockDocumentsOfEntry,
  lockEntry,
  mergeEntries,
  moveBeforeMerge,
  refileDocuments,
  updateEntry,
} from '@sheaf/filing';
import type { AuditAction } from '@sheaf/vocabulary/audit-actions';
import type { z } from 'zod';
import type { Actor } from '../http/authenticate.ts';
import { type Cursors, rowListRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { type ChangeRoutes, changeRoutes, createRoute, emptyRoute, jsonRoute, type Route } from '../http/route.ts';

export const update = <D extends string, C, U, B extends object>(
  { database: { db } }: FilingServices,
  { kind, path, one, errors, updateRequest, body, toChanges, toBody }: FilingResource<D, C, U, B>,
): ChangeRoutes =>
  changeRoutes({
    path: `${path}/{id}`,
    access: 'labels.update',
    summary: `Change ${one}`,
    description:
      'Only the given fields change; PUT and PATCH are equivalent. A list replaces the one before. Returns 409 with the ID of the other entry if the name is in use by an entry visible to the caller.',
    errors: { ...errors, DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    params: idParams,
    body: updateRequest,
    response: body,
    present: async ({ params, principal }, reader) => toBody(await getEntry(reader, kind, principal, params.id)),
    handle: async ({ params: { id }, body: request, principal, context }) => {
      const changes = toChanges(request);
      await db.transaction(async (tx) => {
        const entry = await lockEntry(tx, kind, principal, 'labels.update', id, 'no key update');
        await context.requireMatch(tx);
        const { name = entry.name } = changes;
        // a trigger copies the name into the documents
        if (name !== entry.name) await lockDocumentsOfEntry(tx, kind, id);
        await updateEntry(tx, kind, principal, id, changes);
        if (name !== entry.name) await emitDocumentUpdates(tx, kind, id, { id, name });
      });
      return toBody(await getEntry(db, kind, principal, id));
    },
  });

/** Deletes an entry; its documents remain. Throws as `lockEntry` does. */
export const removeEntry = async <D extends string>(
  db: Db,
  { kind, deleted }: { readonly kind: FilingKind<D>; readonly deleted: AuditAction },
  { principal, address }: Actor,
  id: string,
): Promise<void> => {
  await refileDocuments(db, kind, id, async (tx) => {
    await lockEntry(tx, kind, principal, 'labels.delete', id, 'update');
    return null;
  });
  await db.transaction(async (tx) => {
    const { name } = await lockEntry(tx, kind, principal, 'labels.delete', id, 'update');
    await lockDocumentsOfEntry(tx, kind, id);
    await emitDocumentUpdates(tx, kind, id, null);
    await deleteEntry(tx, kind, id);
    await recordAudit(tx, {
      actor: principal,
      address,
      action: deleted,
      outcome: 'success',
      subject: { type: kind.field, id },
      details: { name },
    });
  });
};

export const remove = <D extends string, C, U, B extends object>(
  { database: { db } }: FilingServices,
  resource: FilingResource<D, C, U, B>,
): Route =>
  emptyRoute({
    method: 'delete',
    path: `${resource.path}/{id}`,
    access: 'labels.delete',
    summary: `Delete ${resource.one}; its documents remain`,
    done: 'Deleted',
    errors: resource.errors,
    params: idParams,
    handle: async ({ params: { id }, principal, context: { address } }) => {
      await removeEntry(db, resource, { principal, address }, id);
    },
  });

export const merge = <D extends string, C, U, B extends object>(
  { database: { db } }: FilingServices,
  { kind, path, one, errors, merged, body, toBody }: FilingResource<D, C, U, B>,
): Route =>
  jsonRoute({
    method: 'post',
    path: `${path}/{id}/merge`,
    // and labels.delete on the one that goes, which is asked for below
    access: 'labels.update',
    summary: `Merge ${one} into another one, which receives its documents`,
    description: `Requires labels.delete for the merged entry, which is deleted, and labels.update for the other one, which is returned.${
      kind.formerNames === undefined
        ? ''
        : ' The name of the merged entry becomes an alias of the other one, which also gets its aliases, IBANs, VAT IDs and domains, up to the limit of each list.'
    }`,
    errors,
    params: idParams,
    body: mergeRequest,
    response: body,
    handle: async ({ params: { id }, body: { into }, principal, context: { address } }) => {
      await moveBeforeMerge(db, kind, principal, id, into);
      await db.transaction(async (tx) => {
        const names = await mergeEntries(tx, kind, principal, id, into);
        await recordAudit(tx, {
          actor: principal,
          address,
          action: merged,
          outcome: 'success',
          subject: { type: kind.field, id },
          details: { name: names.from, into, into_name: names.into },
        });
      });
      return toBody(await getEntry(db, kind, principal, into));
    },
  });

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

const routesOf = <D extends string, C, U, B extends object>(
  services: FilingServices,
  resource: FilingResource<D, C, U, B>,
): readonly Route[] => [list, create, read, update, remove, merge].flatMap((route) => route(services, resource));

export const filingRoutes = (services: FilingServices): readonly Route[] => [
  ...routesOf(services, CORRESPONDENT_RESOURCE),
  ...routesOf(services, DOCUMENT_TYPE_RESOURCE),
];

const list = <D extends string, C, U, B extends object>(
  { cursors }: FilingServices,
  { kind, path, many, body, toBody }: FilingResource<D, C, U, B>,
): Route =>
  rowListRoute({
    cursors,
    path,
    access: 'labels.read',
    mayReadReplica: true,
    summary: `List ${many} with the number of documents visible to the caller`,
    query: filingListQuery,
    name: 'data',
    item: body,
    list: (db, principal, request) => listEntries(db, kind, principal, request),
    listAfter: (db, principal, request) => listEntriesAfter(db, kind, principal, request),
    toBody,
  });

export const create = <D extends string, C, U, B extends object>(
  { database: { db } }: FilingServices,
  { kind, path, one, many, createRequest, body, toFields, toBody }: FilingResource<D, C, U, B>,
): Route =>
  createRoute({
    path,
    access: 'labels.create',
    summary: `Create ${one}; 409 with the ID of an existing one of this name`,
    description: `Names are unique, case-insensitive, among the ${many} visible to the caller.`,
    errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    body: createRequest,
    response: body,
    handle: async ({ body: request, principal }) => toBody(await createEntry(db, kind, toFields(request), principal)),
  });

const read = <D extends string, C, U, B extends object>(
  { database: { db } }: FilingServices,
  { kind, path, one, errors, body, toBody }: FilingResource<D, C, U, B>,
): Route =>
  jsonRoute({
    method: 'get',
    path: `${path}/{id}`,
    access: 'labels.read',
    summary: `Get ${one}`,
    errors,
    params: idParams,
    response: body,
    handle: async ({ params, principal }) => toBody(await getEntry(db, kind, principal, params.id)),
  });
