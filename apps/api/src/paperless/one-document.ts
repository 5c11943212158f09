import { type DocumentUpdate, documentBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { getDocument, readWholeDocument } from '@sheaf/documents';
import { listFieldValues } from '@sheaf/documents/custom-fields';
import { fromPaperlessFields, isTrue, numbersOf, textsOfDocuments } from '@sheaf/paperless';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { remove as removeOwn } from '../documents/one-document.ts';
import { update as updateOwn } from '../documents/update.ts';
import { type ChangeRoutes, changeRoutes, jsonRoute, type Route } from '../http/route.ts';
import { askRoute, deleteRoute } from './ask-route.ts';
import { type PaperlessDocument, paperlessDocument } from './bodies.ts';
import { type DocumentChanges, documentChanges, idIn, refuseForeign, replaceFields, requireOwner } from './document-changes.ts';
import { type FoundDocuments, findDocuments } from './find-documents.ts';
import { pageBody, readPage, toPage } from './paging.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { presentDocuments, type Shown } from './present-documents.ts';
import { type AnyQuery, anyQuery, lastOf, numberParams, requireNumber, requireNumbers } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';
import type { Hit } from './search-hits.ts';
import { countEntries, selectionBody } from './selection-data.ts';

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
