import { recordAudit } from '@sheaf/accounts/users';
import { type AppError, codedError, reasonedError, serviceUnavailable } from '@sheaf/contract';
import type { PageEditRequest } from '@sheaf/contract/documents';
import { type Db, violates } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { lockDocument, lockStoredBytes } from '@sheaf/documents';
import { editContent, findOtherByHash, trimVersions } from '@sheaf/documents/versions';
import { recordEvent } from '@sheaf/events';
import { type MovedPage, moveFacts, readPlacedFacts } from '@sheaf/filing/facts';
import { partFilename, removeTrimmed } from '@sheaf/ingest';
import { type StoredPart, storeParts } from '@sheaf/ingest/split';
import { enqueueJobs, markPending } from '@sheaf/queue';
import { indexDocument } from '@sheaf/search';
import { documentKey, type Storage } from '@sheaf/storage';
import { CONTENT_EXCERPT_CHARACTERS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { Actor } from '../../http/authenticate.ts';
import { takeDocuments } from '../select-documents.ts';
import { lockForReplacement } from '../versions/change-versions.ts';
import type { ArrangedPart, SourceDocuments } from './page-arranger.ts';

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

/** Throws where a document is not any more what its pages were taken of. */
const requireSame = (before: Document, { id, version, sha256, status }: Document): void => {
  if (version !== before.version || sha256 !== before.sha256)
    throw codedError('DUPLICATE_RESOURCE', 'VERSION_CHANGED', { document_id: id, version });
  if (status !== 'completed') throw codedError('DUPLICATE_RESOURCE', 'DOCUMENT_NOT_PROCESSED', { document_id: id, status });
};

/**
 * Locks the document to be edited, and those that its new pages are from, and returns it. Throws as `takeDocuments` does, VERSION_CHANGED and
 * DOCUMENT_NOT_PROCESSED.
 */
export const lockEdited = async (tx: Db, principal: Principal, [edited, ...others]: SourceDocuments): Promise<Document> => {
  const ids = [edited, ...others].map(({ id }) => id);
  // all at once, so that two who append each other's documents do not wait in a circle
  if (others.length > 0) await takeDocuments(tx, principal, { permission: 'documents.read', purpose: 'read' }, { ids });
  const document = await lockForReplacement(tx, principal, edited.id);
  requireSame(edited, document);
  for (const other of others) requireSame(other, await lockDocument(tx, other.id));
  return document;
};

/** What is done to a document. */
export interface PageEdit {
  readonly by: Actor;
  /** As they were when their pages were arranged. */
  readonly documents: SourceDocuments;
  readonly operations: PageEditRequest['operations'];
}

/** Where the pages of the document `id` are now, by what they were; of a page that is there twice, the first one counts. */
export const movedPagesOf = (
  id: string,
  made: readonly { readonly id: string; readonly part: ArrangedPart }[],
): ReadonlyMap<number, MovedPage> => {
  const moved = new Map<number, MovedPage>();
  for (const one of made)
    for (const [at, { documentId, page, rotateBy }] of one.part.placed.entries())
      if (documentId === id && !moved.has(page)) moved.set(page, { documentId: one.id, page: at + 1, rotateBy });
  return moved;
};

/** Writes the edit into the audit log, in the same transaction. */
export const auditEdit = (
  tx: Db,
  { by, documents, operations }: PageEdit,
  document: Document,
  after: { readonly sha256: string; readonly parts: readonly string[] },
): Promise<void> =>
  recordAudit(tx, {
    actor: by.principal,
    address: by.address,
    action: 'document.pages_edited',
    outcome: 'success',
    subject: { type: 'document', id: document.id },
    details: {
      version: document.version + 1,
      sha256: after.sha256,
      previous_sha256: document.sha256,
      operations: [...new Set(operations.map(({ op }) => op))],
      appended_document_ids: documents.slice(1).map(({ id }) => id),
      part_ids: after.parts,
    },
  });
