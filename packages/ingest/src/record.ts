import { reasonedError } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import type { Db } from '@sheaf/db';
import type { Document, LedgerEntry } from '@sheaf/db/schema';
import { lockDocument, lockDocumentByHash, lockStoredBytes } from '@sheaf/documents';
import { addLabels, requireLabels } from '@sheaf/documents/labels';
import { findByEarlierHash } from '@sheaf/documents/versions';
import { recordEvent } from '@sheaf/events';
import { createNotification } from '@sheaf/events/notifications';
import { enqueueJobs, markPending } from '@sheaf/queue';
import type { RemoteVersion } from '@sheaf/sources';
import { isTakenState, isWatchedRoute } from '@sheaf/vocabulary/documents';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import type { NotificationPolicy } from '@sheaf/vocabulary/notifications';
import {
  type IncomingFile,
  type IngestDeps,
  type IngestResult,
  type IngestSettings,
  type Refusal,
  toLedgerReason,
} from './incoming-file.ts';
import { cleanFilename, ingestEvent, noteFile, rewriteNote, type SeenFile } from './note-file.ts';
import { findLedgerEntries, findPathOfDeleted, findSplitDocument, type TakenFile } from './queries/ingest-ledger.ts';
import { insertDocuments } from './queries/insert-documents.ts';
import { type Arrival, BytesVanished, type ReceivedFile, type StoredAt } from './take-in.ts';
import { findTrashedBytes, restoreDocument } from './trash/index.ts';

interface CreateOptions {
  /** What the memory of its source keeps of the file. */
  readonly version?: RemoteVersion;
  /** Makes nothing of a file that is not simply new, which is left to those who look closer. */
  readonly unlessKnown?: boolean;
}

/** Makes a file of any route a document. Undefined, with nothing written, as `insertDocuments` says. */
export const createDocument = async (
  tx: Db,
  arrival: Arrival,
  { filePath }: StoredAt,
  { defaultLanguage, maxAttempts }: IngestSettings,
  { version, unlessKnown }: CreateOptions = {},
): Promise<Document | undefined> => {
  const { ownerId, title, filename, mimeType, received, route, sourceId, modifiedAt, ledgerPath } = arrival;
  const row = {
    ownerId,
    title,
    filename,
    mimeType,
    sizeBytes: received.sizeBytes,
    sha256: received.sha256,
    filePath,
    ocrEnabled: arrival.ocrEnabled,
    ocrLanguage: arrival.language,
    defaultLanguage,
    source: route,
    sourceId,
  };
  const [document] = await insertDocuments(tx, [row], {
    ledger: () => ({ path: ledgerPath, modifiedAt, version }),
    events: (_row, id) => [
      { type: 'document_created', document_id: id, title, source: route },
      ingestEvent(arrival, { state: 'ingested' }),
    ],
    jobs: () => ({ priority: 'normal', maxAttempts }),
    unlessKnown,
  });
  return document;
};

/** Makes everything that is true from now on true at once. */
export const recordArrival = ({ db, storage, settings: live }: IngestDeps, arrival: Arrival, stored: StoredAt): Promise<IngestResult> => {
  const settings = live.current();
  return db.transaction(async (tx) => {
    const isOrdinary = (arrival.labelIds ?? []).length === 0;
    const document = isOrdinary ? await createDocument(tx, arrival, stored, settings, { unlessKnown: true }) : undefined;
    if (document === undefined) await lockStoredBytes(tx, arrival.received.sha256, 'share');
    // Whoever removes bytes holds the lock alone: those that are here now are here when we commit.
    if ((await storage.stat(stored.key)) === undefined) throw new BytesVanished(stored.key);
    return document === undefined ? recordWithCare(tx, arrival, stored, settings) : { outcome: 'ingested', document };
  });
};

/** For files with labels, and those that are here already or were. */
const recordWithCare = async (tx: Db, arrival: Arrival, stored: StoredAt, settings: IngestSettings): Promise<IngestResult> => {
  const { labelIds = [] } = arrival;
  const known = await findKnownFile(tx, arrival);
  const replaced = await findReplaced(tx, arrival, known);
  if (replaced !== undefined) return recordReplaced(tx, arrival, replaced);
  const split = known === undefined ? await findSplit(tx, arrival) : undefined;
  if (split !== undefined) return recordSplit(tx, arrival, split, settings);
  const deleted = await findDeleted(tx, arrival, known);
  if (deleted !== undefined) return recordDeleted(tx, arrival, deleted, settings);
  const trashed = await recordTrashed(tx, arrival);
  if (trashed !== undefined) return trashed;
  await requireLabels(tx, labelIds);
  const document = await createDocument(tx, arrival, stored, settings);
  if (document === undefined) return recordDuplicate(tx, arrival, settings, known);
  await addLabels(tx, document.id, labelIds);
  return { outcome: 'ingested', document };
};

/** A person is told where the document is; a file that nobody looks at brings it back. Undefined where it is not in the trash. */
const recordTrashed = async (tx: Db, arrival: Arrival): Promise<IngestResult | undefined> => {
  const { ownerId, route, received } = arrival;
  const isHere = (await lockDocumentByHash(tx, ownerId, received.sha256)) !== undefined;
  const trashed = isHere ? undefined : await findTrashedBytes(tx, ownerId, received.sha256);
  if (trashed === undefined) return undefined;
  if (isWatchedRoute(route)) return { outcome: 'ingested', document: await restoreTrashed(tx, trashed.id, seenFile(arrival)) };
  await noteFile(tx, seenFile(arrival), { state: 'duplicate', reason: ledgerReason('document_in_trash') });
  return { outcome: 'trashed', documentId: trashed.id };
};

/** The ledger's row of a watched path, if these very bytes came from there before: the file was touched, not changed. */
const findKnownFile = async (tx: Db, { route, ledgerPath, ownerId, received }: Arrival): Promise<LedgerEntry | undefined> => {
  if (!isWatchedRoute(route)) return undefined;
  const [entry] = await findLedgerEntries(tx, route, [ledgerPath]);
  const wasTaken = entry !== undefined && isTakenState(entry.state);
  return wasTaken && entry.sha256 === received.sha256 && entry.ownerId === ownerId ? entry : undefined;
};

/** The ledger's row of a watched path whose bytes are an earlier version of the document that they became. */
const findReplaced = async (tx: Db, { received }: Arrival, known: LedgerEntry | undefined): Promise<LedgerEntry | undefined> => {
  if (known === undefined || known.documentId === null) return undefined;
  return (await findByEarlierHash(tx, [known.documentId], received.sha256)) === undefined ? undefined : known;
};

/** Somebody put another file under the document since: a touch of the one before changes nothing. */
const recordReplaced = async (tx: Db, arrival: Arrival, { state, documentId }: LedgerEntry): Promise<IngestResult> => {
  await rewriteNote(tx, seenFile(arrival), { state, documentId: documentId ?? undefined });
  return { outcome: 'duplicate', documentId, requeued: false };
};

/** A watched file whose document was deleted: what the ledger has of its path already, or under which one it came before. */
type DeletedFile = { readonly known: LedgerEntry } | { readonly formerPath: string };

/** Undefined also when these bytes are here again, by whatever way: then it is a duplicate like any other. */
const findDeleted = async (tx: Db, arrival: Arrival, known: LedgerEntry | undefined): Promise<DeletedFile | undefined> => {
  const deleted = known === undefined ? await findRenamed(tx, arrival) : known.documentId === null ? { known } : undefined;
  if (deleted === undefined) return undefined;
  const isHereAgain = (await lockDocumentByHash(tx, arrival.ownerId, arrival.received.sha256)) !== undefined;
  return isHereAgain ? undefined : deleted;
};

/** As the ledger knows the file where it came under another path before. Undefined for what is not watched. */
const takenFile = ({ route, ownerId, modifiedAt, received }: Arrival): TakenFile | undefined =>
  isWatchedRoute(route) && modifiedAt !== undefined ? { ...received, ownerId, modifiedAt } : undefined;

/** The document of a watched file that was renamed after its document was split. Undefined also when these bytes are here again. */
const findSplit = async (tx: Db, arrival: Arrival): Promise<string | undefined> => {
  const taken = takenFile(arrival);
  const split = taken === undefined ? undefined : await findSplitDocument(tx, taken);
  if (split === undefined) return undefined;
  return (await lockDocumentByHash(tx, arrival.ownerId, arrival.received.sha256)) === undefined ? split : undefined;
};

/** Its pages are in the parts already. */
const recordSplit = async (tx: Db, arrival: Arrival, documentId: string, settings: IngestSettings): Promise<IngestResult> => {
  await noteDuplicate(tx, arrival, settings, { reason: duplicateReason(false), documentId });
  return { outcome: 'duplicate', documentId, requeued: false };
};

const findRenamed = async (tx: Db, arrival: Arrival): Promise<DeletedFile | undefined> => {
  const taken = takenFile(arrival);
  const formerPath = taken === undefined ? undefined : await findPathOfDeleted(tx, taken);
  return formerPath === undefined ? undefined : { formerPath };
};

/** Why a file is not taken in a second time, which came under this path before, or under its own. */
export const deletedReason = (formerPath?: string): LedgerReason =>
  formerPath === undefined ? ledgerReason('document_deleted') : ledgerReason('document_deleted_of', { path: formerPath });

/** Why a file is no document of its own; the one it is the same as may be queued again. */
export const duplicateReason = (requeued: boolean): LedgerReason =>
  requeued ? ledgerReason('duplicate_file_read_again') : ledgerReason('duplicate_file');

/** Neither a touch nor another name brings back what was deleted on purpose. */
const recordDeleted = async (tx: Db, arrival: Arrival, deleted: DeletedFile, settings: IngestSettings): Promise<IngestResult> => {
  const reason = deletedReason('known' in deleted ? undefined : deleted.formerPath);
  if ('known' in deleted) await rewriteNote(tx, seenFile(arrival), { state: deleted.known.state, reason });
  else await noteDuplicate(tx, arrival, settings, { reason });
  return { outcome: 'duplicate', documentId: null, requeued: false };
};

const noteDuplicate = async (
  tx: Db,
  arrival: Arrival,
  { notifications }: IngestSettings,
  { reason, documentId }: { readonly reason: LedgerReason; readonly documentId?: string },
): Promise<void> => {
  await noteFile(tx, seenFile(arrival), { state: 'duplicate', reason, documentId });
  await notifyDuplicate(tx, notifications, seenFile(arrival), documentId, reason);
};

const recordDuplicate = async (
  tx: Db,
  arrival: Arrival,
  settings: IngestSettings,
  known: LedgerEntry | undefined,
): Promise<IngestResult> => {
  const existing = await lockDocumentByHash(tx, arrival.ownerId, arrival.received.sha256);
  // Deleted since the insert was refused: rare enough to let the sender try again.
  if (existing === undefined) throw reasonedError('SERVICE_UNAVAILABLE', 'duplicate_just_deleted');
  const requeued = existing.status === 'failed';
  if (requeued) await queueAgain(tx, existing, settings.maxAttempts);
  const reason = duplicateReason(requeued);
  if (known?.documentId === existing.id)
    await rewriteNote(tx, seenFile(arrival), {
      state: known.state,
      reason: known.state === 'duplicate' ? reason : undefined,
      documentId: existing.id,
    });
  else await noteDuplicate(tx, arrival, settings, { reason, documentId: existing.id });
  return { outcome: 'duplicate', documentId: existing.id, requeued };
};

/** Has a document that could not be read tried again. */
export const queueAgain = async (tx: Db, document: Document, maxAttempts: number): Promise<void> => {
  await markPending(tx, document.id);
  await enqueueJobs(tx, [document.id], { maxAttempts, priority: 'normal' });
  await recordEvent(tx, { type: 'document_updated', document_id: document.id, changes: { status: 'pending' } }, document.ownerId);
};

/** Notes a file that is not taken in. */
export const recordRefusal = async (
  { db }: IngestDeps,
  file: IncomingFile,
  refusal: Refusal,
  received: ReceivedFile | undefined,
): Promise<IngestResult> => {
  await db.transaction((tx) => noteFile(tx, { ...file, ...received }, { state: 'ignored', reason: toLedgerReason(refusal) }));
  return { outcome: 'refused', ...refusal };
};

/** As the ledger sees it. */
export const seenFile = (arrival: Arrival): SeenFile => ({ ...arrival, ...arrival.received });

/** Restores a document, as `file` has brought its bytes again, and notes that in the ledger. Hold the bytes. */
export const restoreTrashed = async (tx: Db, id: string, file: SeenFile): Promise<Document> => {
  await restoreDocument(tx, id);
  await noteFile(tx, file, { state: 'ingested', reason: ledgerReason('restored_from_trash'), documentId: id });
  return lockDocument(tx, id);
};

/**
 * Tells the owner that a file was not taken in because he has it already. Whoever uploads is answered, so this is for the other
 * routes; call it where the ledger's row becomes that of a duplicate, and so once for each such file.
 */
export const notifyDuplicate = async (
  tx: Db,
  policy: NotificationPolicy,
  { route, filename, ownerId }: SeenFile,
  documentId: string | undefined,
  { code, message, details }: LedgerReason,
): Promise<void> => {
  if (route === 'upload' || ownerId === undefined) return;
  await createNotification(tx, policy, {
    userId: ownerId,
    type: 'duplicate_skipped',
    title: 'Duplicate file skipped',
    message: `${cleanFilename(filename)}: ${message}`,
    data: {
      ...details,
      filename: cleanFilename(filename),
      route,
      reason: code,
      ...(documentId === undefined ? {} : { document_id: documentId }),
    },
    folded: (count) => `${count} duplicate files skipped`,
  });
};
