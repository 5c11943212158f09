import { type DocumentUpdate, documentBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { getDocument, readWholeDocument } from '@sheaf/documents';
import { listFieldValues } from '@sheaf/documents/custom-fields';
import {
  type FieldKind,
  findByNumbers,
  fromPaperlessFields,
  fromPaperlessValue,
  isTrue,
  type NumberOf,
  numbersOf,
  readFieldKinds,
  refuseField,
  textsOfDocuments,
} from '@sheaf/paperless';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { remove as removeOwn, update as updateOwn } from '../documents/one-document.ts';
import { type ChangeRoutes, changeRoutes, jsonRoute, type Route } from '../http/route.ts';
import { type FoundDocuments, findDocuments, type Hit } from './find-documents.ts';
import { type PaperlessDocument, paperlessDocument, presentDocuments, type Shown } from './present-documents.ts';
import { type AnyQuery, anyQuery, lastOf, numberParams, requireNumber, requireNumbers } from './query.ts';
import { askRoute, deleteRoute, PAPERLESS_PREFIX, type PaperlessServices, pageBody, readPage, requestBody, toPage } from './requests.ts';
import { countEntries, selectionBody } from './selection-data.ts';

const number = z.int();
const numberOrText = z.union([number, z.string().regex(/^\d{1,10}$/)]).transform(Number);

/** Custom fields as programs send them: fields with values, values by fields, or fields alone, which have no value yet. */
export const givenFields = z.union([
  z.array(requestBody({ field: numberOrText, value: z.unknown().optional() }, ['document', 'created'])),
  z.array(numberOrText),
  z.record(z.string().regex(/^\d{1,10}$/), z.unknown()),
]);
type GivenFields = z.infer<typeof givenFields>;

/** What a program may change of a document. There are no inbox tags to remove. */
export const documentChanges = requestBody(
  {
    title: z.string().optional(),
    content: z.string().optional(),
    created: z.string().nullable().optional(),
    created_date: z.string().nullable().optional(),
    archive_serial_number: number.nullable().optional(),
    correspondent: number.nullable().optional(),
    document_type: number.nullable().optional(),
    storage_path: number.nullable().optional(),
    owner: number.nullable().optional(),
    tags: z.array(number).max(1_000).optional(),
    custom_fields: givenFields.optional(),
    set_permissions: z.unknown().optional(),
  },
  paperlessDocument,
  ['remove_inbox_tags'],
);
export type DocumentChanges = z.infer<typeof documentChanges>;

const hasNumber = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'object' && value !== null && Object.values(value).some(hasNumber));

/** Refuses permissions that name users or groups, and owners; none are what everything has here. */
export const refusePeople = (permissions: unknown, owner?: number | null): void => {
  // their form is a few levels deep at most; a body that is deeper was refused by its reader
  if (hasNumber(permissions) || typeof owner === 'number')
    throw refuseField('set_permissions', 'is not supported: roles decide who may do what');
};

/** Refuses an owner that is another user than this one; null is none, as programs send it for what nobody owns. */
export const requireOwner = async (db: Db, userId: string, owner: number | null | undefined): Promise<void> => {
  if (owner === undefined || owner === null) return;
  if ((await findByNumbers(db, 'user', [owner])).get(owner) !== userId) throw refuseField('owner', 'cannot be changed');
};

/** Refuses what there is no place for, where ignoring it would let the sender believe that it was done. */
export const refuseForeign = ({ storage_path: storagePath, set_permissions: permissions }: DocumentChanges): void => {
  if (typeof storagePath === 'number') throw refuseField('storage_path', `Invalid pk "${storagePath}" - object does not exist.`);
  refusePeople(permissions);
};

const toPairs = (given: GivenFields): [number, unknown][] =>
  Array.isArray(given)
    ? given.map((each): [number, unknown] => (typeof each === 'number' ? [each, undefined] : [each.field, each.value]))
    : Object.entries(given).map(([id, value]): [number, unknown] => [Number(id), value]);

export interface FieldContext {
  readonly db: Db;
  readonly kinds: readonly FieldKind[];
  readonly numberOf: NumberOf;
}

/** The custom fields with their numbers. */
export const openFields = async (db: Db): Promise<FieldContext> => {
  const kinds = await readFieldKinds(db);
  const numberOf = await numbersOf(
    db,
    kinds.map(({ id }) => ({ kind: 'custom_field', id })),
  );
  return { db, kinds, numberOf };
};

/** The fields behind the numbers. Throws VALIDATION_ERROR where there is none. */
export const fieldNumbered = ({ kinds, numberOf }: FieldContext, wanted: number): FieldKind => {
  const kind = kinds.find(({ id }) => numberOf('custom_field', id) === wanted);
  if (kind === undefined) throw refuseField('custom_fields', `Invalid pk "${wanted}" - object does not exist.`);
  return kind;
};

/** Changes of custom fields as our own routes take them. */
export interface GivenFieldChanges {
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly empty_fields?: readonly string[];
}

/** Fields that are null stay on the document without a value, and those that are named alone with the value that they have. */
export const toFieldChanges = async (context: FieldContext, given: GivenFields): Promise<Required<GivenFieldChanges>> => {
  const findDocument = async (wanted: number): Promise<string> => {
    const id = (await findByNumbers(context.db, 'document', [wanted])).get(wanted);
    if (id === undefined) throw refuseField('custom_fields', `Invalid pk "${wanted}" - object does not exist.`);
    return id;
  };
  const changes = new Map<string, unknown>();
  const empty = new Set<string>();
  for (const [wanted, value] of toPairs(given)) {
    const kind = fieldNumbered(context, wanted);
    const own = value === undefined ? undefined : await fromPaperlessValue(kind, value, findDocument);
    if (own !== undefined) changes.set(kind.name, own);
    if (own === undefined || own === null) empty.add(kind.name);
    else empty.delete(kind.name);
  }
  return { fields: Object.fromEntries(changes), empty_fields: [...empty] };
};

/** The list is all that the document has: what is missing in it goes. */
export const replaceFields = async (db: Db, given: GivenFields, before: readonly string[]): Promise<GivenFieldChanges> => {
  const { fields, empty_fields: empty } = await toFieldChanges(await openFields(db), given);
  const gone = before.filter((name) => !Object.hasOwn(fields, name) && !empty.includes(name)).map((name) => [name, null]);
  return { fields: { ...Object.fromEntries(gone), ...fields }, empty_fields: empty };
};

/** The id behind the number that a field has; null and nothing stay what they are. */
export const idIn = async (
  db: Db,
  kind: 'correspondent' | 'document_type',
  wanted: number | null | undefined,
): Promise<string | null | undefined> => (typeof wanted === 'number' ? (await requireNumbers(db, kind, [wanted], kind))[0] : wanted);

const PATH = `${PAPERLESS_PREFIX}/documents/{id}`;

const readOne = async (db: Db, principal: Principal, id: string, shown: Shown): Promise<PaperlessDocument> => {
  const document = await readWholeDocument(db, principal, id);
  const [body] = await presentDocuments(db, principal, [document], { ...shown, texts: new Map([[id, document.content]]) });
  return body ?? {};
};

export const read = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: PATH,
    access: 'documents.read',
    summary: 'Get a document with its whole text',
    params: numberParams,
    query: anyQuery,
    response: paperlessDocument,
    handle: async ({ params, query, principal }) => readOne(db, principal, await requireNumber(db, 'document', params), readShown(query)),
  });

const given = <K extends string, V>(name: K, value: V | undefined): { readonly [N in K]?: V } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [N in K]?: V };

/** The change in our own terms. */
const toUpdate = async (db: Db, principal: Principal, id: string, changes: DocumentChanges): Promise<Partial<DocumentUpdate>> => {
  refuseForeign(changes);
  await requireOwner(db, (await getDocument(db, principal, id)).ownerId, changes.owner);
  const { title, content, created = changes.created_date, archive_serial_number: number, tags, custom_fields: fields } = changes;
  const before = fields === undefined ? [] : (await listFieldValues(db, principal, [id]))(id).map(({ name }) => name);
  return {
    ...given('title', title),
    ...given('content', content),
    ...fromPaperlessFields({ created, archive_serial_number: number === 0 ? null : number }),
    ...given('correspondent_id', await idIn(db, 'correspondent', changes.correspondent)),
    ...given('document_type_id', await idIn(db, 'document_type', changes.document_type)),
    ...given('labels', tags && (await requireNumbers(db, 'tag', tags, 'tags'))),
    ...(fields && ((await replaceFields(db, fields, before)) as Pick<DocumentUpdate, 'fields' | 'empty_fields'>)),
  };
};

export const update = (services: PaperlessServices): ChangeRoutes =>
  changeRoutes({
    path: PATH,
    access: 'documents.update',
    summary: 'Change a document',
    params: numberParams,
    query: anyQuery,
    body: documentChanges,
    response: paperlessDocument,
    handle: async ({ params, query, body, principal, context }) => {
      const { db } = services.database;
      const id = await requireNumber(db, 'document', params);
      const update = await toUpdate(db, principal, id, body);
      if (Object.keys(update).length > 0)
        await askRoute(updateOwn(services)[0], documentBody, { params: { id }, body: update, principal, context });
      return readOne(db, principal, id, readShown(query));
    },
  });

export const remove = (services: PaperlessServices): Route =>
  deleteRoute(services.database.db, 'document', removeOwn(services), {
    path: PATH,
    access: 'documents.delete',
    summary: 'Delete a document',
  });

/** Documents of one page. */
const MAX_PAGE_SIZE = 1_000;

const readShown = (query: AnyQuery): Shown => ({
  fullPerms: isTrue(lastOf(query, 'full_perms')),
  fields:
    lastOf(query, 'fields') === undefined
      ? undefined
      : new Set(
          lastOf(query, 'fields')
            ?.split(',', 100)
            .map((name) => name.trim()),
        ),
});

/** The texts of the documents; none where their beginnings are enough. */
const readTexts = async (
  db: Db,
  documents: FoundDocuments['documents'],
  { fields }: Shown,
  query: AnyQuery,
): Promise<ReadonlyMap<string, string> | undefined> => {
  if (isTrue(lastOf(query, 'truncate_content')) || fields?.has('content') === false) return undefined;
  return textsOfDocuments(
    db,
    documents.map(({ id }) => id),
  );
};

const withHits = (
  bodies: readonly PaperlessDocument[],
  documents: FoundDocuments['documents'],
  hits: readonly Hit[] | undefined,
): PaperlessDocument[] => {
  const ranks = new Map(hits?.map(({ id, score }, rank) => [id, { score, rank }]));
  return bodies.map((body, n) => {
    const hit = ranks.get(documents[n]?.id ?? '');
    return hit === undefined ? body : { ...body, __search_hit__: { ...hit, highlights: '', note_highlights: '' } };
  });
};

export const list = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/documents`,
    access: 'documents.read',
    summary: 'List documents',
    query: anyQuery,
    response: pageBody(paperlessDocument).extend({ selection_data: selectionBody.optional() }),
    handle: async ({ query, principal, context }) => {
      const page = readPage(query, MAX_PAGE_SIZE);
      const { count, ids, documents, hits } = await findDocuments(db, principal, query, page);
      const shown = readShown(query);
      const texts = await readTexts(db, documents, shown, query);
      const bodies = withHits(await presentDocuments(db, principal, documents, { ...shown, texts }), documents, hits);
      const numberOf = await numbersOf(
        db,
        ids.map((id) => ({ kind: 'document', id })),
      );
      const listed = { count, all: ids.map((id) => numberOf('document', id)), results: bodies };
      const listPage = toPage(listed, page, { path: '/documents', query, context });
      // version 3 of the web client asks for both at once
      if (!isTrue(lastOf(query, 'include_selection_data'))) return listPage;
      return { ...listPage, selection_data: await countEntries(db, ids) };
    },
  });
