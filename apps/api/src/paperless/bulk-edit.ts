import { permissionNeeded, reasonedError } from '@sheaf/contract';
import { bulkBody, type DocumentUpdate, documentUpdate, type PageEditRequest, pageEditBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { getDocument } from '@sheaf/documents';
import { getField, requireFieldPermission } from '@sheaf/documents/custom-fields';
import { getLabel, lockLabel } from '@sheaf/documents/labels';
import { type FilingKind, lockEntry } from '@sheaf/filing';
import { refuseField } from '@sheaf/paperless';
import type { AuditAction } from '@sheaf/vocabulary/audit-actions';
import { MAX_BULK_IDS } from '@sheaf/vocabulary/limits';
import { type Action, type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { bulkActions, changeLabels } from '../documents/bulk-actions.ts';
import { bulkDownload as downloadOwn } from '../documents/bulk-download.ts';
import { changeDocument } from '../documents/one-document.ts';
import { editPages } from '../documents/page-editing/edit-pages.ts';
import { DOCUMENT_ACTIONS, findDocuments, takeDocuments } from '../documents/select-documents.ts';
import { removeField } from '../fields/routes.ts';
import { CORRESPONDENT_RESOURCE, DOCUMENT_TYPE_RESOURCE, removeEntry } from '../filing/routes.ts';
import type { Actor } from '../http/authenticate.ts';
import { parseInput } from '../http/parse-input.ts';
import { jsonRoute, type RequestContext, type Route, streamRoute } from '../http/route.ts';
import { removeLabel } from '../labels/routes.ts';
import { fieldNumbered, givenFields, idIn, openFields, refusePeople, toFieldChanges } from './one-document.ts';
import { anyQuery, requireNumbers } from './query.ts';
import { askRoute, PAPERLESS_PREFIX, type PaperlessServices, passTo, requestBody } from './requests.ts';
import { chosenDocuments, requireChosen } from './selection-data.ts';

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

/** What methods that edit pages take. */
const pageParameters = {
  degrees: z.int().optional(),
  pages: z.union([z.string().max(100_000), z.array(z.int()).max(10_000)]).optional(),
  delete_originals: z.boolean().nullish(),
};

interface PageEdit {
  readonly services: PaperlessServices;
  readonly ids: readonly string[];
  readonly parameters: z.infer<z.ZodObject<typeof pageParameters>>;
  readonly principal: Principal;
  readonly context: RequestContext;
}

type Operations = PageEditRequest['operations'];

const edit = async ({ services, principal, context }: PageEdit, id: string, operations: Operations): Promise<void> => {
  await askRoute(editPages(services), pageEditBody, { params: { id }, body: { operations }, principal, context });
};

const numbersFrom = (first: number, last: number): number[] => Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);

const pagesOf = async ({ services, principal }: PageEdit, id: string): Promise<number[]> =>
  numbersFrom(1, (await getDocument(services.database.db, principal, id)).pageCount ?? 0);

const only = ({ ids }: PageEdit): string => {
  const [id] = ids;
  if (id === undefined || ids.length > 1) throw refuseField('documents', 'Only one document can be edited.');
  return id;
};

/** Turns all pages of each document, one document after the other. */
const rotate = async (order: PageEdit): Promise<void> => {
  const by = (((order.parameters.degrees ?? 0) % 360) + 360) % 360;
  if (by !== 90 && by !== 180 && by !== 270) throw refuseField('degrees', 'Degrees must be a multiple of 90.');
  for (const id of order.ids) {
    const pages = await pagesOf(order, id);
    await edit(order, id, [{ op: 'rotate', pages: pages.length === 0 ? [1] : pages, by }]);
  }
};

const deletePages = async (order: PageEdit): Promise<void> => {
  const id = only(order);
  const { pages } = order.parameters;
  if (!Array.isArray(pages) || pages.length === 0) throw refuseField('pages', 'This field is required.');
  await edit(order, id, [{ op: 'delete', pages: [...new Set(pages)] }]);
};

const RANGE = /^(\d{1,5})(?:-(\d{1,5}))?$/;

/** The pages of each part: `1-2,3,4-6`, in brackets or without. Throws for a page that is not among `known`, or is there twice. */
const readParts = (text: string, known: ReadonlySet<number>): number[][] => {
  const seen = new Set<number>();
  const list = text.replace(/^\[/, '').replace(/\]$/, '');
  return list.split(',').map((part) => {
    const [, first, last = first] = RANGE.exec(part.trim()) ?? [];
    const pages = first === undefined ? [] : numbersFrom(Number(first), Number(last));
    if (pages.length === 0) throw refuseField('pages', `"${part.trim().slice(0, 100)}" is no range of pages.`);
    for (const page of pages) {
      if (!known.has(page)) throw refuseField('pages', `There is no page ${page}.`);
      if (seen.has(page)) throw refuseField('pages', 'A page can be in one part only.');
      seen.add(page);
    }
    return pages;
  });
};

/** Splits a document into parts; the first stays in it, and pages that are in no part go. The whole is its earlier version. */
const split = async (order: PageEdit): Promise<void> => {
  const id = only(order);
  const { pages: given } = order.parameters;
  if (typeof given !== 'string') throw refuseField('pages', 'This field is required.');
  const known = await pagesOf(order, id);
  const parts = readParts(given, new Set(known));
  const kept = parts.flat();
  const places = new Map(kept.toSorted((a, b) => a - b).map((page, at) => [page, at + 1]));
  const left = known.filter((page) => !places.has(page));
  const starts: number[] = [];
  for (const part of parts.slice(0, -1)) starts.push((starts.at(-1) ?? 1) + part.length);
  await edit(order, id, [
    ...(left.length === 0 ? [] : [{ op: 'delete' as const, pages: left }]),
    { op: 'move', pages: kept.map((page) => places.get(page) ?? page), to: 1 },
    ...(starts.length === 0 ? [] : [{ op: 'split' as const, pages: starts }]),
  ]);
};

const numbers = z.array(z.int()).max(MAX_BULK_IDS);

const parameterFields = {
  correspondent: z.int().nullable().optional(),
  document_type: z.int().nullable().optional(),
  tag: z.int().optional(),
  add_tags: numbers.optional(),
  remove_tags: numbers.optional(),
  add_custom_fields: givenFields.optional(),
  remove_custom_fields: numbers.optional(),
  ...pageParameters,
  storage_path: z.int().nullable().optional(),
  owner: z.int().nullable().optional(),
  set_permissions: z.unknown().optional(),
  merge: z.boolean().nullish(),
};

/** Parameters that the method does not take are refused by name, for which all are let through here. */
const bulkRequest = requestBody({
  ...chosenDocuments,
  method: z.string().max(100),
  parameters: z.looseObject(parameterFields).default({}),
});
type Parameters = z.infer<typeof bulkRequest>['parameters'];

interface Edit {
  readonly services: PaperlessServices;
  readonly db: Db;
  readonly ids: readonly string[];
  readonly parameters: Parameters;
  readonly principal: Principal;
  readonly context: RequestContext;
}

type Run = (edit: Edit) => Promise<unknown>;

/** What a method does, and the parameters that it takes. */
interface Method {
  readonly takes: readonly (keyof typeof parameterFields)[];
  readonly run: Run;
}

const act = ({ services, ids, principal, context }: Edit, action: Readonly<Record<string, unknown>>): Promise<unknown> =>
  askRoute(bulkActions(services), bulkBody, { body: { ids, ...action }, principal, context });

const need = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw refuseField(name, 'This field is required.');
  return value;
};

const oneTag = async ({ db, parameters: { tag } }: Edit): Promise<string[]> => requireNumbers(db, 'tag', [need(tag, 'tag')], 'tag');

/** Both at once, so that nobody sees documents in between. */
const modifyTags: Run = async ({ db, ids, principal, parameters: { add_tags: added = [], remove_tags: removed = [] } }) => {
  const adding = await requireNumbers(db, 'tag', added, 'add_tags');
  const removing = await requireNumbers(db, 'tag', removed, 'remove_tags');
  await db.transaction(async (tx) => {
    const documents = await takeDocuments(tx, principal, DOCUMENT_ACTIONS.add_labels, { ids });
    if (adding.length > 0) await changeLabels(tx, 'add_labels', documents, adding, principal);
    if (removing.length > 0) await changeLabels(tx, 'remove_labels', documents, removing, principal);
  });
};

const modifyFields: Run = async ({ db, ids, principal, context, parameters }) => {
  const fields = await openFields(db);
  const { add_custom_fields: added = [], remove_custom_fields: removed = [] } = parameters;
  const gone = new Set(removed.map((number) => fieldNumbered(fields, number).name));
  const changes = await toFieldChanges(fields, added);
  const values = { ...changes.fields, ...Object.fromEntries([...gone].map((name) => [name, null])) };
  const empty = changes.empty_fields.filter((name) => !gone.has(name));
  if (Object.keys(values).length === 0 && empty.length === 0) return;
  const update: DocumentUpdate = parseInput(documentUpdate, { fields: values, empty_fields: empty }, 'body');
  await db.transaction(async (tx) => {
    const documents = await takeDocuments(tx, principal, DOCUMENT_ACTIONS.update, { ids });
    for (const { id } of documents) await changeDocument(tx, { principal, address: context.address }, id, update, {});
  });
};

/** Documents that may be changed remain as they are. */
const changeNothing = ({ db, principal, ids }: Edit): Promise<unknown> => findDocuments(db, principal, 'documents.update', { ids });

const setStoragePath: Run = async (edit) => {
  const { storage_path: storagePath } = edit.parameters;
  if (typeof storagePath === 'number') throw refuseField('storage_path', `Invalid pk "${storagePath}" - object does not exist.`);
  await changeNothing(edit);
};

const setPermissions: Run = async (edit) => {
  refusePeople(edit.parameters.set_permissions, edit.parameters.owner);
  await changeNothing(edit);
};

/** The id of the entry that the parameter of its kind names; it may be none, but it may not be missing. */
const entryOf = ({ db, parameters }: Edit, kind: 'correspondent' | 'document_type') => idIn(db, kind, need(parameters[kind], kind));

const METHODS: Readonly<Record<string, Method>> = {
  set_correspondent: {
    takes: ['correspondent'],
    run: async (edit) => act(edit, { action: 'set_correspondent', correspondent_id: await entryOf(edit, 'correspondent') }),
  },
  set_document_type: {
    takes: ['document_type'],
    run: async (edit) => act(edit, { action: 'set_document_type', document_type_id: await entryOf(edit, 'document_type') }),
  },
  add_tag: { takes: ['tag'], run: async (edit) => act(edit, { action: 'add_labels', labels: await oneTag(edit) }) },
  remove_tag: { takes: ['tag'], run: async (edit) => act(edit, { action: 'remove_labels', labels: await oneTag(edit) }) },
  set_storage_path: { takes: ['storage_path'], run: setStoragePath },
  set_permissions: { takes: ['set_permissions', 'owner', 'merge'], run: setPermissions },
  modify_tags: { takes: ['add_tags', 'remove_tags'], run: modifyTags },
  modify_custom_fields: { takes: ['add_custom_fields', 'remove_custom_fields'], run: modifyFields },
  rotate: { takes: ['degrees'], run: rotate },
  split: { takes: ['pages', 'delete_originals'], run: split },
  delete_pages: { takes: ['pages'], run: deletePages },
  delete: { takes: [], run: (edit) => act(edit, { action: 'delete' }) },
  reprocess: { takes: [], run: (edit) => act(edit, { action: 'retry_ocr' }) },
};

/** Throws VALIDATION_ERROR for a parameter that the method does not take: what it asks for would not be done. */
const requireParameters = (name: string, { takes }: Method, parameters: Parameters): void => {
  const known: readonly string[] = takes;
  const unknown = Object.keys(parameters).find((parameter) => !known.includes(parameter));
  if (unknown !== undefined) throw refuseField(unknown, `is not a parameter of ${name}`);
};

export const bulkEdit = (services: PaperlessServices): Route =>
  jsonRoute({
    method: 'post',
    path: `${PAPERLESS_PREFIX}/documents/bulk_edit`,
    // Each method asks for a permission of its own.
    access: 'documents.read',
    summary: 'Change many documents, all or none; pages one document after the other',
    query: anyQuery,
    body: bulkRequest,
    response: z.strictObject({ result: z.literal('OK') }),
    handle: async ({ body: { method, parameters, ...chosen }, principal, context }) => {
      const { db } = services.database;
      const known = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
      if (known === undefined) throw refuseField('method', `${method} is not supported.`);
      requireParameters(method, known, parameters);
      // nobody has seen how many documents a filter would delete, and one that was mistyped may match all
      if (method === 'delete' && chosen.all === true) throw refuseField('all', 'Documents are deleted by their ids only.');
      const ids = await requireChosen(db, principal, chosen);
      if (ids.length > 0) await known.run({ services, db, ids, parameters, principal, context });
      return { result: 'OK' as const };
    },
  });

export const bulkDownload = (services: PaperlessServices): Route =>
  streamRoute({
    method: 'post',
    path: `${PAPERLESS_PREFIX}/documents/bulk_download`,
    access: 'documents.read',
    summary: 'Download the original files of documents as a ZIP',
    content: { answers: [{ status: 200, description: 'ZIP of the files', contentTypes: ['application/zip'] }] },
    query: anyQuery,
    body: requestBody(chosenDocuments, ['content', 'compression', 'follow_formatting']),
    stream: async ({ body, principal, context }, http) => {
      const ids = await requireChosen(services.database.db, principal, body);
      await passTo(downloadOwn(services), { body: { ids }, principal, context }, http);
    },
  });
