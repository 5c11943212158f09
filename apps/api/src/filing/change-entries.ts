import { recordAudit } from '@sheaf/accounts/users';
import { mergeRequest } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import {
  deleteEntry,
  emitDocumentUpdates,
  type FilingKind,
  getEntry,
  lockDocumentsOfEntry,
  lockEntry,
  mergeEntries,
  moveBeforeMerge,
  refileDocuments,
  updateEntry,
} from '@sheaf/filing';
import type { AuditAction } from '@sheaf/vocabulary/audit-actions';
import type { Actor } from '../http/actor.ts';
import { idParams } from '../http/parse-input.ts';
import { type ChangeRoutes, changeRoutes, emptyRoute, jsonRoute, type Route } from '../http/route.ts';
import type { FilingResource, FilingServices } from './filing-resource.ts';

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
