import { bulkBody, type DocumentUpdate, documentUpdate } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { MAX_BULK_IDS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { bulkActions, changeLabels } from '../documents/bulk-actions.ts';
import { bulkDownload as downloadOwn } from '../documents/bulk-download.ts';
import { DOCUMENT_ACTIONS, takeDocuments } from '../documents/select-documents.ts';
import { changeDocument } from '../documents/update.ts';
import { parseInput } from '../http/parse-input.ts';
import { jsonRoute, type RequestContext, type Route, streamRoute } from '../http/route.ts';
import { askRoute, passTo } from './ask-route.ts';
import { fieldNumbered, givenFields, idIn, openFields, toFieldChanges } from './document-changes.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery, refuseField, requireDocuments, requireNumbers } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

const numbers = z.array(z.int()).max(MAX_BULK_IDS);

/** Documents are named one by one: of filters, one that is not understood would reach more than the sender means. */
export const chosenDocuments = {
  documents: numbers.min(1),
  all: z.literal(false).nullish(),
  filters: z.union([z.null(), z.strictObject({})]).optional(),
};

const bulkRequest = z.looseObject({
  ...chosenDocuments,
  method: z.string().max(100),
  parameters: z
    .looseObject({
      correspondent: z.int().nullable().optional(),
      document_type: z.int().nullable().optional(),
      tag: z.int().optional(),
      add_tags: numbers.optional(),
      remove_tags: numbers.optional(),
      add_custom_fields: givenFields.optional(),
      remove_custom_fields: numbers.optional(),
    })
    .default({}),
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

type Method = (edit: Edit) => Promise<unknown>;

const act = ({ services, ids, principal, context }: Edit, action: Readonly<Record<string, unknown>>): Promise<unknown> =>
  askRoute(bulkActions(services), bulkBody, { body: { ids, ...action }, principal, context });

const need = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw refuseField(name, 'This field is required.');
  return value;
};

const oneTag = async ({ db, parameters: { tag } }: Edit): Promise<string[]> => requireNumbers(db, 'tag', [need(tag, 'tag')], 'tag');

/** Both at once, so that nobody sees documents in between. */
const modifyTags: Method = async ({ db, ids, principal, parameters: { add_tags: added = [], remove_tags: removed = [] } }) => {
  const adding = await requireNumbers(db, 'tag', added, 'add_tags');
  const removing = await requireNumbers(db, 'tag', removed, 'remove_tags');
  await db.transaction(async (tx) => {
    const documents = await takeDocuments(tx, principal, DOCUMENT_ACTIONS.add_labels, { ids });
    if (adding.length > 0) await changeLabels(tx, 'add_labels', documents, adding, principal);
    if (removing.length > 0) await changeLabels(tx, 'remove_labels', documents, removing, principal);
  });
};

const modifyFields: Method = async ({ db, ids, principal, parameters }) => {
  const fields = await openFields(db);
  const { add_custom_fields: added = [], remove_custom_fields: removed = [] } = parameters;
  const gone = removed.map((number) => [fieldNumbered(fields, number).name, null]);
  const changes = { ...(await toFieldChanges(fields, added)), ...Object.fromEntries(gone) };
  if (Object.keys(changes).length === 0) return;
  const update: DocumentUpdate = parseInput(documentUpdate, { fields: changes }, 'body');
  await db.transaction(async (tx) => {
    const documents = await takeDocuments(tx, principal, DOCUMENT_ACTIONS.update, { ids });
    for (const { id } of documents) await changeDocument(tx, principal, id, update, {});
  });
};

const METHODS: Readonly<Record<string, Method>> = {
  set_correspondent: async (edit) =>
    act(edit, {
      action: 'set_correspondent',
      correspondent_id: await idIn(edit.db, 'correspondent', need(edit.parameters.correspondent, 'correspondent')),
    }),
  set_document_type: async (edit) =>
    act(edit, {
      action: 'set_document_type',
      document_type_id: await idIn(edit.db, 'document_type', need(edit.parameters.document_type, 'document_type')),
    }),
  add_tag: async (edit) => act(edit, { action: 'add_labels', labels: await oneTag(edit) }),
  remove_tag: async (edit) => act(edit, { action: 'remove_labels', labels: await oneTag(edit) }),
  modify_tags: modifyTags,
  modify_custom_fields: modifyFields,
  delete: (edit) => act(edit, { action: 'delete' }),
  reprocess: (edit) => act(edit, { action: 'retry_ocr' }),
};

export const bulkEdit = (services: PaperlessServices): Route =>
  jsonRoute({
    method: 'post',
    path: `${PAPERLESS_PREFIX}/documents/bulk_edit`,
    // Each method asks for a permission of its own.
    access: 'documents.read',
    summary: 'Change many documents, all or none',
    query: anyQuery,
    body: bulkRequest,
    status: 200,
    response: z.strictObject({ result: z.literal('OK') }),
    handle: async ({ body: { method, parameters, documents }, principal, context }) => {
      const { db } = services.database;
      const run = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
      if (run === undefined) throw refuseField('method', `${method} is not supported.`);
      const ids = await requireDocuments(db, documents);
      await run({ services, db, ids, parameters, principal, context });
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
    body: z.looseObject(chosenDocuments),
    stream: async ({ body: { documents }, principal, context }, http) => {
      const ids = await requireDocuments(services.database.db, documents);
      await passTo(downloadOwn(services), { body: { ids }, principal, context }, http);
    },
  });
