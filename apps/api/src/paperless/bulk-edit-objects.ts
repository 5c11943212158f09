import { permissionNeeded, reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { type FilingKind, lockEntry } from '@sheaf/filing';
import { getLabel, lockLabel } from '@sheaf/labels';
import type { AuditAction } from '@sheaf/vocabulary/audit-actions';
import { MAX_BULK_IDS } from '@sheaf/vocabulary/limits';
import { type Action, type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { removeEntry } from '../filing/change-entries.ts';
import { CORRESPONDENT_RESOURCE, DOCUMENT_TYPE_RESOURCE } from '../filing/filing-resource.ts';
import type { Actor } from '../http/actor.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { removeLabel } from '../labels/change-label.ts';
import { refusePeople } from './document-changes.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery, refuseField, requireNumbers } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

type Permission = Extract<Action, 'labels.update' | 'labels.delete'>;

/** How the objects of one type are asked for and deleted. */
interface ObjectType {
  readonly kind: 'tag' | 'correspondent' | 'document_type';
  /** Throws NOT_FOUND where the principal may not read one of them, FORBIDDEN where he may not do that to it. */
  readonly require: (db: Db, principal: Principal, permission: Permission, ids: readonly string[]) => Promise<void>;
  readonly remove: (db: Db, by: Actor, ids: readonly string[]) => Promise<void>;
}

const TAGS: ObjectType = {
  kind: 'tag',
  require: async (db, principal, permission, ids) => {
    for (const id of ids) await getLabel(db, principal, id); // before anything is locked, so that nobody holds up what is not his
    await db.transaction(async (tx) => {
      for (const id of ids)
        if (!(await lockLabel(tx, principal, permission, id, 'no key update')).isAllowed) throw reasonedError('FORBIDDEN', 'not_your_own');
    });
  },
  remove: (db, by, ids) =>
    db.transaction(async (tx) => {
      for (const id of ids) await removeLabel(tx, by, id);
    }),
};

const filed = <D extends string>(
  kind: ObjectType['kind'],
  resource: { readonly kind: FilingKind<D>; readonly deleted: AuditAction },
): ObjectType => ({
  kind,
  require: (db, principal, permission, ids) =>
    db.transaction(async (tx) => {
      for (const id of ids) await lockEntry(tx, resource.kind, principal, permission, id, 'no key update');
    }),
  remove: async (db, by, ids) => {
    for (const id of ids) await removeEntry(db, resource, by, id);
  },
});

const OBJECT_TYPES: Readonly<Record<string, ObjectType>> = {
  tags: TAGS,
  correspondents: filed('correspondent', CORRESPONDENT_RESOURCE),
  document_types: filed('document_type', DOCUMENT_TYPE_RESOURCE),
};

const request = z.looseObject({
  objects: z.array(z.int()).max(MAX_BULK_IDS).default([]),
  all: z.literal(false).nullish(),
  object_type: z.string().max(100),
  operation: z.enum(['set_permissions', 'delete']),
  owner: z.int().nullish(),
  permissions: z.unknown().optional(),
  merge: z.boolean().nullish(),
});

const typeOf = (name: string): ObjectType => {
  const type = Object.hasOwn(OBJECT_TYPES, name) ? OBJECT_TYPES[name] : undefined;
  if (type === undefined) throw refuseField('object_type', `"${name}" is not supported.`);
  return type;
};

export const bulkEditObjects = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'post',
    path: `${PAPERLESS_PREFIX}/bulk_edit_objects`,
    // Each operation asks for a permission of its own.
    access: 'labels.read',
    summary: 'Delete tags, correspondents or document types',
    query: anyQuery,
    body: request,
    status: 200,
    response: z.strictObject({ result: z.literal('OK') }),
    handle: async ({ body, principal, context: { address } }) => {
      const { kind, require, remove } = typeOf(body.object_type);
      const isDeleting = body.operation === 'delete';
      const permission = isDeleting ? 'labels.delete' : 'labels.update';
      if (scopeOf(principal.permissions, permission) === 'none') throw permissionNeeded(permission);
      if (body.objects.length === 0) throw refuseField('objects', 'This list may not be empty.');
      if (!isDeleting) refusePeople(body.permissions, body.owner);
      const ids = [...new Set(await requireNumbers(db, kind, body.objects, 'objects'))].toSorted();
      await require(db, principal, permission, ids);
      if (isDeleting) await remove(db, { principal, address }, ids);
      return { result: 'OK' as const };
    },
  });
