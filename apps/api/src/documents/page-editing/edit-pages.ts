import { type AppError, reasonedError, serviceUnavailable } from '@sheaf/contract';
import { type PageEditRequest, pageEditBody, pageEditRequest } from '@sheaf/contract/documents';
import { violates } from '@sheaf/db';
import { readWholeDocument } from '@sheaf/documents';
import { removeTrimmed } from '@sheaf/ingest';
import { MAX_EDITED_PAGES } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { idParams } from '../../http/parse-input.ts';
import { jsonRoute, type RequestContext, type Route } from '../../http/route.ts';
import type { DocumentServices } from '../document-services.ts';
import { presentDocument } from '../present-documents.ts';
import { type EditableDocuments, findEditableDocuments, requireUnsigned } from './editable-documents.ts';
import { areUnchanged, planPages } from './plan-pages.ts';
import { recordPageEdit } from './record-page-edit.ts';

interface Order {
  readonly id: string;
  readonly request: PageEditRequest;
  readonly principal: Principal;
  readonly context: Pick<RequestContext, 'address' | 'signal'>;
}

/** How often the file is made anew because somebody removed the same one, of a deleted document, at that very moment. */
const MAX_ATTEMPTS = 3;

const pageCountsOf = (documents: EditableDocuments): ReadonlyMap<string, number> =>
  new Map(documents.map(({ id, pageCount }) => [id, pageCount ?? 0]));

/** Edits the pages: bytes safe in storage first, then everything else in one transaction. Killed in between, it leaves the document as it was. */
const edit = async (services: DocumentServices, { id, request, principal, context }: Order): Promise<void> => {
  const { database, storage, ingest, pageArranger, documentSignatures } = services;
  const { db } = database;
  const { operations } = request;
  const documents = await findEditableDocuments(db, principal, id, request);
  const [pages] = planPages(id, operations, pageCountsOf(documents));
  const [edited] = documents;
  if (areUnchanged(id, edited.pageCount ?? 0, pages)) return;
  if (request.break_signature !== true) await requireUnsigned(edited, documentSignatures, principal, context.signal);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const [file] = await pageArranger.arrange(documents, [pages], principal, context.signal);
    if (file === undefined) break;
    const by = { principal, address: context.address };
    const trimmed = await db.transaction((tx) =>
      recordPageEdit(tx, storage, by, { documents, operations, pages, file }, ingest.settings.current()),
    );
    if (trimmed === undefined) continue;
    await removeTrimmed({ db, storage }, trimmed);
    return;
  }
  throw serviceUnavailable('The new file could not be stored.');
};

const fileOfAnother = (): AppError => reasonedError('DUPLICATE_RESOURCE', 'duplicate_file', { document_id: null, requeued: false });

export const editPages = (services: DocumentServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/documents/{id}/pages/edit',
    access: 'documents.update',
    mayTakeLong: true,
    summary: 'Rotate, delete, move, append and split pages',
    description: `The operations are applied in order and make one new version; the file before stays as an earlier version. Text, words and facts move with their pages, and nothing is recognized again. PDFs and pictures can be edited; a picture becomes a PDF. At most ${MAX_EDITED_PAGES} pages. \`append\` adds the pages of another document that the caller can read, and leaves that document as it is. A signed PDF returns 409 with the reason \`document_is_signed\` unless \`break_signature\` is true. Operations that change nothing make no version.`,
    errors: {
      DOCUMENT_NOT_FOUND: 'NOT_FOUND',
      FILE_MISSING: 'NOT_FOUND',
      FILE_DAMAGED: 'NOT_FOUND',
      DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE',
      DOCUMENT_IS_SIGNED: 'DUPLICATE_RESOURCE',
      DOCUMENT_NOT_PROCESSED: 'DUPLICATE_RESOURCE',
      PAGES_NOT_EDITABLE: 'DUPLICATE_RESOURCE',
      VERSION_CHANGED: 'DUPLICATE_RESOURCE',
    },
    params: idParams,
    body: pageEditRequest,
    status: 200,
    response: pageEditBody,
    handle: async ({ params: { id }, body: request, principal, context }) => {
      const { db } = services.database;
      try {
        await edit(services, { id, request, principal, context });
      } catch (error) {
        if (violates(error, 'documents_owner_sha256_key')) throw fileOfAnother(); // uploaded in this moment
        throw error;
      }
      const document = await readWholeDocument(db, principal, id);
      return presentDocument(db, principal, document, document.content);
    },
  });
