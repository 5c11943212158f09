import { permissionNeeded, reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { getField, requireFieldPermission } from '@sheaf/documents/custom-fields';
import { getLabel, lockLabel } from '@sheaf/documents/labels';
import { type FilingKind, lockEntry } from '@sheaf/filing';
import { refuseField } from '@sheaf/paperless';
import type { AuditAction } from '@sheaf/vocabulary/audit-actions';
import { MAX_BULK_IDS } from '@sheaf/vocabulary/limits';
import { type Action, type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { removeField } from '../fields/change-field.ts';
import { removeEntry } from '../filing/change-entries.ts';
import { CORRESPONDENT_RESOURCE, DOCUMENT_TYPE_RESOURCE } from '../filing/filing-resource.ts';
import type { Actor } from '../http/actor.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { removeLabel } from '../labels/change-label.ts';
import { refusePeople } from './document-changes.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery, requireNumbers } from './query.ts';
import { requestBody } from './request-body.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

type Operation = 'set_permissions' | 'delete';
type Permission = Extract<Action, 'labels.update' | 'labels.delete' | 'settings.update'>;

/** How the objects of one type are asked for and deleted. */
interface ObjectType {
  readonly kind: 'tag' | 'correspondent' | 'document_type' | 'custom_field';
  readonly permissions: Readonly<Record<Operation, Permission>>;
  /** Throws NOT_FOUND where the principal may not read one of them, FORBIDDEN where they may not do that to it. */
  readonly require: (db: Db, principal: Principal, operation: Operation, ids: readonly string[]) => Promise<void>;
  readonly remove: (db: Db, by: Actor, ids: readonly string[]) => Promise<void>;
}

const LABEL_PERMISSIONS = { set_permissions: 'labels.update', delete: 'labels.delete' } as const;

const TAGS: ObjectType = {
  kind: 'tag',
  permissions: LABEL_PERMISSIONS,
  require: async (db, principal, operation, ids) => {
    for (const id of ids) await getLabel(db, principal, id); // before anything is locked, so that nobody holds up what is not theirs
    await db.transaction(async (tx) => {
      for (const id of ids)
        if (!(await lockLabel(tx, principal, LABEL_PERMISSIONS[operation], id, 'no key update')).isAllowed)
          throw reasonedError('FORBIDDEN', 'not_your_own');
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
  permissions: LABEL_PERMISSIONS,
  require: (db, principal, operation, ids) =>
    db.transaction(async (tx) => {
      for (const id of ids) await lockEntry(tx, resource.kind, principal, LABEL_PERMISSIONS[operation], id, 'no key update');
    }),
  remove: async (db, by, ids) => {
    for (const id of ids) await removeEntry(db, resource, by, id);
  },
});

const FIELDS: ObjectType = {
  kind: 'custom_field',
  permissions: { set_permissions: 'settings.update', delete: 'settings.update' },
  require: async (db, principal, _operation, ids) => {
    requireFieldPermission(principal);
    for (const id of ids) await getField(db, principal, id);
  },
  remove: async (db, by, ids) => {
    for (const id of ids) await removeField(db, by, id, 'all');
  },
};

const OBJECT_TYPES: Readonly<Record<string, ObjectType>> = {
  tags: TAGS,
  correspondents: filed('correspondent', CORRESPONDENT_RESOURCE),
  document_types: filed('document_type', DOCUMENT_TYPE_RESOURCE),
  custom_fields: FIELDS,
};

const request = requestBody({
  objects: z.array(z.int()).max(MAX_BULK_IDS).default([]),
  all: z.literal(false).nullish(),
  object_type: z.string().max(100),
  operation: z.enum(['set_permissions', 'delete']),
  owner: z.int().nullish(),
  permissions: z.unknown().optional(),
  merge: z.boolean().nullish(),
});

const noSuch = (number: number): string => `Invalid pk "${number}" - object does not exist.`;

const typeOf = ({ object_type: name, objects: [first] }: z.infer<typeof request>): ObjectType => {
  // there is none, and nobody makes one
  if (name === 'storage_paths') throw refuseField('objects', first === undefined ? 'This list may not be empty.' : noSuch(first));
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
    summary: 'Delete tags, correspondents, document types or custom fields',
    query: anyQuery,
    body: request,
    response: z.strictObject({ result: z.literal('OK') }),
    handle: async ({ body, principal, context: { address } }) => {
      const { kind, permissions, require, remove } = typeOf(body);
      const isDeleting = body.operation === 'delete';
      const permission = permissions[body.operation];
      if (scopeOf(principal.permissions, permission) === 'none') throw permissionNeeded(permission);
      if (body.objects.length === 0) throw refuseField('objects', 'This list may not be empty.');
      refusePeople(body.permissions, body.owner);
      const ids = [...new Set(await requireNumbers(db, kind, body.objects, 'objects'))].toSorted();
      await require(db, principal, body.operation, ids);
      if (isDeleting) await remove(db, { principal, address }, ids);
      return { result: 'OK' as const };
    },
  });
