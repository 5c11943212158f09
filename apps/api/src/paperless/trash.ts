import type { Db } from '@sheaf/db';
import { listTrash, purgeDocument, requireTrashed, restoreInTransaction, type TrashedDocument } from '@sheaf/ingest/trash';
import { numbersOf, refuseField } from '@sheaf/paperless';
import { z } from 'zod';
import { makeBytesRemoval } from '../documents/bulk-actions.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { paperlessDocument } from './present-documents.ts';
import { anyQuery, requireDocuments, requireKnown } from './query.ts';
import { PAPERLESS_PREFIX, type PaperlessServices, pageBody, readPage, requestBody, toPage } from './requests.ts';

const PATH = `${PAPERLESS_PREFIX}/trash`;

const MAX_PAGE_SIZE = 1_000;
/** Documents of one request. */
const MAX_CHOSEN = 1_000;

/** What is reported of a document in the trash: its text, labels and fields are those of a document again when it is restored. */
const trashedDocument = paperlessDocument.extend({ deleted_at: z.iso.datetime() });

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

const present = async (db: Db, rows: readonly TrashedDocument[]): Promise<z.infer<typeof trashedDocument>[]> => {
  const numberOf = await numbersOf(
    db,
    rows.flatMap(({ id, ownerId }) => [
      { kind: 'document', id },
      { kind: 'user', id: ownerId },
    ]),
  );
  return rows.map((row) => ({
    id: numberOf('document', row.id),
    correspondent: null,
    document_type: null,
    storage_path: null,
    title: row.title,
    content: '',
    tags: [],
    created: dayOf(row.createdAt),
    created_date: dayOf(row.createdAt),
    modified: row.trashedAt.toISOString(),
    added: row.createdAt.toISOString(),
    deleted_at: row.trashedAt.toISOString(),
    archive_serial_number: null,
    original_file_name: row.filename,
    archived_file_name: null,
    owner: numberOf('user', row.ownerId),
    notes: [],
    custom_fields: [],
    page_count: row.pageCount,
    mime_type: row.mimeType,
  }));
};

export const list = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: PATH,
    access: 'documents.read',
    summary: 'List the documents in the trash, the latest first',
    query: anyQuery,
    response: pageBody(trashedDocument),
    handle: async ({ query, principal, context }) => {
      requireKnown(query, () => false);
      const page = readPage(query, MAX_PAGE_SIZE);
      const { rows, total } = await listTrash(db, principal, { ...page, sort: 'trashed_at', order: 'desc' });
      const results = await present(db, rows);
      return toPage({ count: total, all: results.map(({ id = 0 }) => id), results }, page, { path: '/trash', query, context });
    },
  });

const changeRequest = requestBody({
  documents: z.array(z.int()).max(MAX_CHOSEN).nullish(),
  action: z.enum(['restore', 'empty']),
});

/** Nothing that is only in the trash may go because an app has said no more than "empty": it names the documents. */
export const change = (services: PaperlessServices): Route =>
  jsonRoute({
    method: 'post',
    path: PATH,
    access: 'documents.delete',
    summary: 'Restore documents of the trash, or remove them permanently',
    query: anyQuery,
    body: changeRequest,
    response: z.strictObject({ result: z.literal('OK'), doc_ids: z.array(z.int()) }),
    handle: async ({ body: { documents, action }, principal, context: { address } }) => {
      const { db } = services.database;
      if (!documents || documents.length === 0)
        throw refuseField('documents', 'name the documents; Sheaf does not empty the trash as a whole here');
      const ids = await requireDocuments(db, documents);
      for (const id of ids) await requireTrashed(db, principal, action === 'restore' ? 'documents.delete' : 'documents.purge', id);
      const by = { principal, address };
      for (const id of ids)
        if (action === 'restore') await restoreInTransaction(db, id, by);
        else await purgeDocument(db, id, { by, removeBytes: makeBytesRemoval(services) });
      return { result: 'OK' as const, doc_ids: [...documents] };
    },
  });
