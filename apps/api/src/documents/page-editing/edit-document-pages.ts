import { type AppError, reasonedError, serviceUnavailable } from '@sheaf/contract';
import type { PageEditRequest } from '@sheaf/contract/documents';
import { violates } from '@sheaf/db';
import { removeTrimmed } from '@sheaf/ingest';
import type { Actor } from '../../http/actor.ts';
import type { DocumentServices } from '../document-services.ts';
import { type EditableDocuments, findEditableDocuments, requireUnsigned } from './editable-documents.ts';
import { areUnchanged, planPages } from './plan-pages.ts';
import { recordPageEdit } from './record-page-edit.ts';

type Services = Pick<DocumentServices, 'database' | 'storage' | 'pageArranger' | 'documentSignatures'> & {
  readonly ingest: Pick<DocumentServices['ingest'], 'settings'>;
};

interface Order {
  readonly id: string;
  readonly request: PageEditRequest;
  readonly by: Actor;
  readonly signal: AbortSignal;
}

/** How often the file is made anew because somebody removed the same one, of a deleted document, at that very moment. */
const MAX_ATTEMPTS = 3;

/**
 * Edits the pages of a document: bytes safe in storage first, then everything else in one transaction. Killed in between, it leaves the
 * document as it was, and a file that the sweep removes. Operations that change nothing do nothing. Throws as the functions do that it calls.
 */
export const editDocumentPages = async (services: Services, order: Order): Promise<void> => {
  try {
    await edit(services, order);
  } catch (error) {
    if (violates(error, 'documents_owner_sha256_key')) throw uploadedMeanwhile();
    throw error;
  }
};

const uploadedMeanwhile = (): AppError => reasonedError('DUPLICATE_RESOURCE', 'duplicate_file', { document_id: null, requeued: false });

const pageCountsOf = (documents: EditableDocuments): ReadonlyMap<string, number> =>
  new Map(documents.map(({ id, pageCount }) => [id, pageCount ?? 0]));

const edit = async (services: Services, { id, request, by, signal }: Order): Promise<void> => {
  const { database, storage, ingest, pageArranger, documentSignatures } = services;
  const { db } = database;
  const { operations } = request;
  const documents = await findEditableDocuments(db, by.principal, id, request);
  const [edited] = documents;
  const [pages] = planPages(id, operations, pageCountsOf(documents));
  if (areUnchanged(id, edited.pageCount ?? 0, pages)) return;
  if (request.break_signature !== true) await requireUnsigned(edited, documentSignatures, by.principal, signal);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const [file] = await pageArranger.arrange(documents, [pages], by.principal, signal);
    if (file === undefined) break;
    const trimmed = await db.transaction((tx) =>
      recordPageEdit(tx, storage, by, { documents, operations, pages, file }, ingest.settings.current()),
    );
    if (trimmed !== undefined) return await removeTrimmed({ db, storage }, trimmed);
  }
  throw serviceUnavailable('The new file could not be stored.');
};
