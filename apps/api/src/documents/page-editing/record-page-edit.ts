import { type AppError, reasonedError, serviceUnavailable } from '@sheaf/contract';
import { type Db, violates } from '@sheaf/db';
import { lockStoredBytes } from '@sheaf/documents';
import { editContent, findOtherByHash, trimVersions } from '@sheaf/documents/versions';
import { recordEvent } from '@sheaf/events';
import { moveFacts, readPlacedFacts } from '@sheaf/filing/facts';
import { partFilename, removeTrimmed } from '@sheaf/ingest';
import { type StoredPart, storeParts } from '@sheaf/ingest/split';
import { enqueueJobs, markPending } from '@sheaf/queue';
import { indexDocument } from '@sheaf/search';
import { documentKey, type Storage } from '@sheaf/storage';
import { CONTENT_EXCERPT_CHARACTERS } from '@sheaf/vocabulary/limits';
import { lockEdited } from './lock-edited.ts';
import type { ArrangedPart } from './page-arranger.ts';
import { auditEdit, movedPagesOf, type PageEdit } from './page-edit.ts';

export interface RecordDeps {
  readonly db: Db;
  readonly storage: Storage;
  readonly settings: { readonly maxAttempts: number; readonly versionsKeep: number };
}

/** How often the file is stored anew because somebody removed the same one, of a deleted document, at that very moment. */
const MAX_ATTEMPTS = 3;
const MIME_TYPE = 'application/pdf';

export const duplicateFile = (documentId: string | null): AppError =>
  reasonedError('DUPLICATE_RESOURCE', 'duplicate_file', { document_id: documentId, requeued: false });

/**
 * Makes a file of arranged pages the newest version of its document: bytes safe in storage first, then everything else in one transaction.
 * Killed in between, it leaves the document as it was. Throws as `lockEdited` does, and `duplicate_file`.
 */
export const recordPageEdit = async (deps: RecordDeps, edit: PageEdit, part: ArrangedPart): Promise<void> => {
  const { db, storage } = deps;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const [stored] = await storeParts(storage, [part]);
    const trimmed = stored && (await recordOnce(deps, edit, stored));
    if (trimmed !== undefined) return await removeTrimmed({ db, storage }, trimmed);
  }
  throw serviceUnavailable('The new file could not be stored.');
};

const recordOnce = async (deps: RecordDeps, edit: PageEdit, stored: StoredPart<ArrangedPart>): Promise<readonly string[] | undefined> => {
  try {
    return await deps.db.transaction((tx) => recordIn(tx, deps, edit, stored));
  } catch (error) {
    if (violates(error, 'documents_owner_sha256_key')) throw duplicateFile(null); // uploaded in this moment
    throw error;
  }
};

/** Returns the hashes of versions that are too many now, or undefined where somebody removed the bytes of the new file meanwhile. */
const recordIn = async (
  tx: Db,
  { storage, settings }: RecordDeps,
  edit: PageEdit,
  { part, sha256, sizeBytes, filePath }: StoredPart<ArrangedPart>,
): Promise<readonly string[] | undefined> => {
  const document = await lockEdited(tx, edit.by.principal, edit.documents);
  await lockStoredBytes(tx, sha256, 'share');
  // whoever removes bytes holds the lock alone: those that are here now are here when we commit
  if ((await storage.stat(documentKey(sha256))) === undefined) return undefined;
  const { id, ownerId } = document;
  if (sha256 === document.sha256) return [];
  const other = await findOtherByHash(tx, ownerId, sha256, id);
  if (other !== undefined) throw duplicateFile(other);
  const facts = await readPlacedFacts(tx, id);
  const content = { sha256, sizeBytes, filePath, mimeType: MIME_TYPE, filename: partFilename(document.filename, 1) };
  await editContent(tx, document, { ...content, pages: part.placed }, CONTENT_EXCERPT_CHARACTERS);
  await moveFacts(tx, facts, movedPagesOf(id, [{ id, part }]));
  await markPending(tx, id);
  // its pages are there, so that nothing is recognised again: what is left are the facts, the e-invoice and the rules
  await enqueueJobs(tx, [id], { maxAttempts: settings.maxAttempts, priority: 'high' });
  await indexDocument(tx, id);
  const changes = {
    version: document.version + 1,
    filename: content.filename,
    sha256,
    size: sizeBytes,
    mime_type: MIME_TYPE,
    page_count: part.placed.length,
    status: 'pending',
  };
  await recordEvent(tx, { type: 'document_updated', document_id: id, changes }, ownerId);
  await auditEdit(tx, edit, document, { sha256, parts: [] });
  return trimVersions(tx, id, settings.versionsKeep);
};
