import { recordAudit } from '@sheaf/accounts/users';
import { AppError, reasonedError } from '@sheaf/contract';
import { documentBody, type SplitInto } from '@sheaf/contract/documents';
import { type Db, violates } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { getDocument, lockDocument, lockStoredBytes, readWholeDocument, type SelectedDocument } from '@sheaf/documents';
import { copyLabels } from '@sheaf/documents/labels';
import { findOtherByHash, getVersion, moveNotes, restoreContent, trimVersions, type Version } from '@sheaf/documents/versions';
import { recordEvent } from '@sheaf/events';
import { removeTrimmed } from '@sheaf/ingest';
import { findParts, forgetSplit, readSplit, recordWholeEntry } from '@sheaf/ingest/split';
import { moveToTrash } from '@sheaf/ingest/trash';
import { enqueueJobs, markPending } from '@sheaf/queue';
import { indexDocument } from '@sheaf/search';
import { CONTENT_EXCERPT_CHARACTERS, MAX_NOTES } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { idParams } from '../../http/parse-input.ts';
import { jsonRoute, type RequestContext, type Route } from '../../http/route.ts';
import type { DocumentServices } from '../document-services.ts';
import { presentDocument } from '../present-documents.ts';
import { DOCUMENT_ACTIONS, findDocuments, takeDocuments } from '../select-documents.ts';

const notSplit = (id: string): AppError => reasonedError('DUPLICATE_RESOURCE', 'document_not_split', { document_id: id });

interface SplitDocument {
  readonly document: Document;
  readonly split: SplitInto;
  readonly whole: Version;
  /** Those that there still are. */
  readonly parts: readonly SelectedDocument[];
}

/** The document and its parts, locked: it may be changed by the caller, and they may be deleted by them. Throws why it cannot be undone. */
const takeSplit = async (tx: Db, principal: Principal, id: string): Promise<SplitDocument> => {
  const split = readSplit(await getDocument(tx, principal, id));
  if (split === undefined) throw notSplit(id);
  const ids = await findParts(tx, id, split);
  await findDocuments(tx, principal, DOCUMENT_ACTIONS.update.permission, { ids: [id] });
  await findDocuments(tx, principal, DOCUMENT_ACTIONS.delete.permission, { ids });
  // jobs and documents are locked in one order, whatever is done to each
  const taken = await takeDocuments(tx, principal, { permission: 'documents.read', purpose: 'delete' }, { ids: [id, ...ids] });
  const document = await lockDocument(tx, id);
  const version = readSplit(document)?.version;
  if (version === undefined) throw notSplit(id); // undone in this moment
  if (document.version !== version + 1 || version !== split.version)
    throw reasonedError('DUPLICATE_RESOURCE', 'split_changed', { document_id: id });
  return { document, split, whole: await findWhole(tx, document, version), parts: taken.filter((one) => one.id !== id) };
};

const findWhole = async (tx: Db, document: Document, version: number): Promise<Version> => {
  try {
    return await getVersion(tx, document, version);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VERSION_NOT_FOUND') throw error;
    throw reasonedError('DUPLICATE_RESOURCE', 'split_trimmed', { document_id: document.id }, error);
  }
};

/** What people have added to the parts goes to the document; notes that it has no room for stay with their part in the trash. */
const takeOver = async (tx: Db, { id, notesCount }: Document, parts: readonly SelectedDocument[]) => {
  let [notes, labels] = [notesCount, undefined as readonly string[] | undefined];
  for (const part of parts) {
    labels = await copyLabels(tx, part.id, id);
    const own = (await lockDocument(tx, part.id)).notesCount;
    if (notes + own <= MAX_NOTES) notes = await moveNotes(tx, part.id, id);
  }
  return { notes_count: notes, ...(labels === undefined ? {} : { labels }) };
};

/** Returns the hashes of versions that are too many now. */
const undoIn = async (
  tx: Db,
  id: string,
  principal: Principal,
  { address }: Pick<RequestContext, 'address'>,
  { maxAttempts, versionsKeep }: { readonly maxAttempts: number; readonly versionsKeep: number },
): Promise<string[]> => {
  const { document, split, whole, parts } = await takeSplit(tx, principal, id);
  const taken = await takeOver(tx, document, parts);
  await moveToTrash(tx, parts, { reason: 'deleted', by: { principal, address }, details: { split_of: id } });
  await forgetSplit(tx, id);
  await restoreFile(tx, document, whole, maxAttempts);
  await recordWholeEntry(tx, document);
  const { sha256, sizeBytes: size, filename, mimeType } = whole;
  const version = document.version + 1;
  const changes = { version, restored_version: split.version, filename, sha256, size, mime_type: mimeType, status: 'pending', ...taken };
  await recordEvent(tx, { type: 'document_updated', document_id: id, changes }, document.ownerId);
  await recordAudit(tx, {
    actor: principal,
    address,
    action: 'document.split_undone',
    outcome: 'success',
    subject: { type: 'document', id },
    details: { version, restored_version: split.version, parts: parts.map((part) => part.id) },
  });
  return trimVersions(tx, id, versionsKeep);
};

export const undoSplit = (services: DocumentServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/documents/{id}/split/undo',
    access: 'documents.update',
    summary: 'Undo the split of a document',
    description:
      'The document has all of its pages again, as its newest version, and the other parts move to the trash; their labels and notes are added to the document. `metadata.split_into` of the document names the parts. Requires documents.update for the document and documents.delete for the parts. Returns 409 with the reason `document_not_split`, `split_changed` if the file of the document was replaced since, or `split_trimmed` if VERSIONS_KEEP has removed the version with all pages.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    params: idParams,
    response: documentBody,
    handle: ({ params: { id }, principal, context }) =>
      restoreAndPresent(services, principal, id, (tx) => undoIn(tx, id, principal, context, services.ingest.settings.current())),
  });

/** The owner has the file as another document; undefined: it came in this moment. */
const fileOfAnother = (documentId: string | undefined) =>
  reasonedError('DUPLICATE_RESOURCE', 'duplicate_file', { document_id: documentId ?? null, requeued: false });

/** Makes the file of an earlier version of a locked document the newest one, and queues what is left to do. Throws `duplicate_file`. */
export const restoreFile = async (tx: Db, { id, ownerId }: Document, { version, sha256 }: Version, maxAttempts: number): Promise<void> => {
  await lockStoredBytes(tx, sha256, 'share');
  const other = await findOtherByHash(tx, ownerId, sha256, id);
  if (other !== undefined) throw fileOfAnother(other);
  await restoreContent(tx, id, version, CONTENT_EXCERPT_CHARACTERS);
  await markPending(tx, id);
  // its pages are there, so that nothing is recognised again: what is left are the facts, the e-invoice and the rules
  await enqueueJobs(tx, [id], { maxAttempts, priority: 'high' });
  await indexDocument(tx, id);
};

/**
 * Runs `change`, which restores a file and returns the hashes of versions that are too many then, and removes their bytes. Returns the document as
 * the caller sees it.
 */
export const restoreAndPresent = async (
  { database: { db }, storage }: Pick<DocumentServices, 'database' | 'storage'>,
  principal: Principal,
  id: string,
  change: (tx: Db) => Promise<string[]>,
) => {
  try {
    await removeTrimmed({ db, storage }, await db.transaction(change));
  } catch (error) {
    if (violates(error, 'documents_owner_sha256_key')) throw fileOfAnother(undefined); // uploaded in this moment
    throw error;
  }
  const document = await readWholeDocument(db, principal, id);
  return presentDocument(db, principal, document, document.content);
};
