import { type DocumentUpdate, documentBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { getDocument, readWholeDocument } from '@sheaf/documents';
import { listFieldValues } from '@sheaf/documents/custom-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { remove as removeOwn } from '../documents/one-document.ts';
import { patch as patchOwn } from '../documents/update.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { askRoute, deleteRoute } from './ask-route.ts';
import { type PaperlessDocument, paperlessDocument } from './bodies.ts';
import { type DocumentChanges, dayOf, documentChanges, idIn, refuseForeign, replaceFields, requireOwner } from './document-changes.ts';
import { readShown } from './list-documents.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { presentDocuments, type Shown } from './present-documents.ts';
import { anyQuery, numberParams, requireNumber, requireNumbers } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

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
    status: 200,
    response: paperlessDocument,
    handle: async ({ params, query, principal }) => readOne(db, principal, await requireNumber(db, 'document', params), readShown(query)),
  });

const given = <K extends string, V>(name: K, value: V | undefined): { readonly [N in K]?: V } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [N in K]?: V };

/** The change in our own terms. */
const toUpdate = async (db: Db, principal: Principal, id: string, changes: DocumentChanges): Promise<Partial<DocumentUpdate>> => {
  refuseForeign(changes);
  await requireOwner(db, (await getDocument(db, principal, id)).ownerId, changes.owner);
  const { title, content, created = changes.created_date, archive_serial_number: archiveNumber, tags, custom_fields: fields } = changes;
  const before = fields === undefined ? [] : (await listFieldValues(db, principal, [id]))(id).map(({ name }) => name);
  return {
    ...given('title', title),
    ...given('content', content),
    ...given('document_date', created === undefined ? undefined : dayOf(created)),
    ...given('archive_number', archiveNumber === 0 ? null : archiveNumber),
    ...given('correspondent_id', await idIn(db, 'correspondent', changes.correspondent)),
    ...given('document_type_id', await idIn(db, 'document_type', changes.document_type)),
    ...given('labels', tags && (await requireNumbers(db, 'tag', tags, 'tags'))),
    ...(fields && ((await replaceFields(db, fields, before)) as Pick<DocumentUpdate, 'fields' | 'empty_fields'>)),
  };
};

const updateBy = (method: 'put' | 'patch', services: PaperlessServices): Route =>
  jsonRoute({
    method,
    path: PATH,
    access: 'documents.update',
    summary: 'Change a document',
    params: numberParams,
    query: anyQuery,
    body: documentChanges,
    status: 200,
    response: paperlessDocument,
    handle: async ({ params, query, body, principal, context }) => {
      const { db } = services.database;
      const id = await requireNumber(db, 'document', params);
      const update = await toUpdate(db, principal, id, body);
      if (Object.keys(update).length > 0)
        await askRoute(patchOwn(services), documentBody, { params: { id }, body: update, principal, context });
      return readOne(db, principal, id, readShown(query));
    },
  });

export const put = (services: PaperlessServices): Route => updateBy('put', services);
export const patch = (services: PaperlessServices): Route => updateBy('patch', services);

export const remove = (services: PaperlessServices): Route =>
  deleteRoute(services.database.db, 'document', removeOwn(services), {
    path: PATH,
    access: 'documents.delete',
    summary: 'Delete a document',
  });
