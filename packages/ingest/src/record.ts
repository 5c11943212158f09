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
import { decide, type FileDecision, type FileFacts, wayOf } from './file-decision.ts';
import { type Arrival, BytesVanished, type ReceivedFile, type StoredAt } from './import-file.ts';
import {
  type IncomingFile,
  type IngestDeps,
  type IngestResult,
  type IngestSettings,
  type Refusal,
  toLedgerReason,
} from './incoming-file.ts';
import { cleanFilename, ingestEvent, noteFile, rewriteNote, type SeenFile } from './note-file.ts';
import { findLedgerEntries, findPathOfDeleted, findSplitDocument } from './queries/ingest-ledger.ts';
import { insertDocuments } from './queries/insert-documents.ts';
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

/** What a file is looked at in, once it is not simply new. */
interface Case {
  readonly arrival: Arrival;
  readonly stored: StoredAt;
  readonly settings: IngestSettings;
  /** What the ledger has of its path, where these very bytes came from there before. */
  readonly known: LedgerEntry | undefined;
  /** The owner's document of these bytes, or of which they are an earlier version. */
  readonly existing: Document | undefined;
  readonly former: FormerFile;
  readonly trashedId: string | undefined;
  readonly facts: FileFacts;
}

/** For files with labels, and those that are here already or were. */
const recordWithCare = async (tx: Db, arrival: Arrival, stored: StoredAt, settings: IngestSettings): Promise<IngestResult> => {
  const found = await lookUp(tx, arrival, stored, settings);
  return (RECORDED_AS[decide(found.facts)] ?? recordDuplicate)(tx, found);
};

const lookUp = async (tx: Db, arrival: Arrival, stored: StoredAt, settings: IngestSettings): Promise<Case> => {
  const { ownerId, received, route } = arrival;
  const known = await findKnownFile(tx, arrival);
  const earlier = known?.documentId == null ? undefined : await findByEarlierHash(tx, [known.documentId], received.sha256);
  const existing = earlier ?? (await lockDocumentByHash(tx, ownerId, received.sha256));
  const former = known === undefined && existing === undefined ? await findFormer(tx, arrival) : NOWHERE_ELSE;
  const trashedId = existing === undefined ? (await findTrashedBytes(tx, ownerId, received.sha256))?.id : undefined;
  const facts: FileFacts = {
    way: wayOf(route),
    path: known === undefined ? 'new' : existing === undefined && known.documentId !== null ? 'changed' : 'same',
    document: existing === undefined ? 'none' : earlier !== undefined ? 'earlier' : known?.documentId === existing.id ? 'own' : 'other',
    elsewhere: former.elsewhere,
    replaces: false,
    trashed: trashedId !== undefined,
  };
  return { arrival, stored, settings, known, existing, former, trashedId, facts };
};

/** The ledger's row of a watched path, if these very bytes came from there before: the file was touched, not changed. */
const findKnownFile = async (tx: Db, { route, ledgerPath, ownerId, received }: Arrival): Promise<LedgerEntry | undefined> => {
  if (!isWatchedRoute(route)) return undefined;
  const [entry] = await findLedgerEntries(tx, route, [ledgerPath]);
  const wasTaken = entry !== undefined && isTakenState(entry.state);
  return wasTaken && entry.sha256 === received.sha256 && entry.ownerId === ownerId ? entry : undefined;
};

/** What became of a watched file under another path, from which it was renamed or copied with its time. */
type FormerFile =
  | { readonly elsewhere: 'none' }
  | { readonly elsewhere: 'split'; readonly documentId: string }
  | { readonly elsewhere: 'deleted'; readonly path: string };

const NOWHERE_ELSE: FormerFile = { elsewhere: 'none' };

const findFormer = async (tx: Db, { route, ownerId, modifiedAt, received }: Arrival): Promise<FormerFile> => {
  if (!isWatchedRoute(route) || modifiedAt === undefined) return NOWHERE_ELSE;
  const file = { ...received, ownerId, modifiedAt };
  const documentId = await findSplitDocument(tx, file);
  if (documentId !== undefined) return { elsewhere: 'split', documentId };
  const path = await findPathOfDeleted(tx, file);
  return path === undefined ? NOWHERE_ELSE : { elsewhere: 'deleted', path };
};

const recordNew = async (tx: Db, found: Case): Promise<IngestResult> => {
  const { arrival, stored, settings } = found;
  const { labelIds = [] } = arrival;
  await requireLabels(tx, labelIds);
  const document = await createDocument(tx, arrival, stored, settings);
  if (document === undefined) return recordDuplicate(tx, found);
  await addLabels(tx, document.id, labelIds);
  return { outcome: 'ingested', document };
};

const recordReplaced = async (tx: Db, { arrival, known }: Case): Promise<IngestResult> => {
  const documentId = known?.documentId ?? null;
  await rewriteNote(tx, seenFile(arrival), { state: known?.state ?? 'ingested', documentId: documentId ?? undefined });
  return { outcome: 'duplicate', documentId, requeued: false };
};

const recordSplit = async (tx: Db, { arrival, settings, former }: Case): Promise<IngestResult> => {
  const documentId = former.elsewhere === 'split' ? former.documentId : undefined;
  await noteDuplicate(tx, arrival, settings, { reason: duplicateReason(false), documentId });
  return { outcome: 'duplicate', documentId: documentId ?? null, requeued: false };
};

const recordDeleted = async (tx: Db, { arrival, known }: Case): Promise<IngestResult> => {
  await rewriteNote(tx, seenFile(arrival), { state: known?.state ?? 'ingested', reason: deletedReason() });
  return { outcome: 'duplicate', documentId: null, requeued: false };
};

const recordDeletedElsewhere = async (tx: Db, { arrival, settings, former }: Case): Promise<IngestResult> => {
  const path = former.elsewhere === 'deleted' ? former.path : undefined;
  await noteDuplicate(tx, arrival, settings, { reason: deletedReason(path) });
  return { outcome: 'duplicate', documentId: null, requeued: false };
};

const recordTrashed = async (tx: Db, { arrival, trashedId = '' }: Case): Promise<IngestResult> => {
  await noteFile(tx, seenFile(arrival), { state: 'duplicate', reason: ledgerReason('document_in_trash') });
  return { outcome: 'trashed', documentId: trashedId };
};

const recordRestored = async (tx: Db, { arrival, trashedId = '' }: Case): Promise<IngestResult> => ({
  outcome: 'ingested',
  document: await restoreTrashed(tx, trashedId, seenFile(arrival)),
});

/** Why a file is not imported a second time, which came under this path before, or under its own. */
export const deletedReason = (formerPath?: string): LedgerReason =>
  formerPath === undefined ? ledgerReason('document_deleted') : ledgerReason('document_deleted_of', { path: formerPath });

/** Why a file is no document of its own; the one it is the same as may be queued again. */
export const duplicateReason = (requeued: boolean): LedgerReason =>
  requeued ? ledgerReason('duplicate_file_read_again') : ledgerReason('duplicate_file');

const noteDuplicate = async (
  tx: Db,
  arrival: Arrival,
  { notifications }: IngestSettings,
  { reason, documentId }: { readonly reason: LedgerReason; readonly documentId?: string | undefined },
): Promise<void> => {
  await noteFile(tx, seenFile(arrival), { state: 'duplicate', reason, documentId });
  await notifyDuplicate(tx, notifications, seenFile(arrival), documentId, reason);
};

/** What came from this path before, and what its owner has by another way. */
const recordDuplicate = async (tx: Db, { arrival, settings, known }: Case): Promise<IngestResult> => {
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

const RECORDED_AS: Readonly<Partial<Record<FileDecision, (tx: Db, found: Case) => Promise<IngestResult>>>> = {
  new: recordNew,
  replaced: recordReplaced,
  split: recordSplit,
  deleted: recordDeleted,
  deleted_elsewhere: recordDeletedElsewhere,
  trashed: recordTrashed,
  restored: recordRestored,
};

/** Has a document that could not be read tried again. */
export const queueAgain = async (tx: Db, document: Document, maxAttempts: number): Promise<void> => {
  await markPending(tx, document.id);
  await enqueueJobs(tx, [document.id], { maxAttempts, priority: 'normal' });
  await recordEvent(tx, { type: 'document_updated', document_id: document.id, changes: { status: 'pending' } }, document.ownerId);
};

/** Notes a file that is not imported. */
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
 * Tells the owner that a file was not imported because they have it already. Whoever uploads is answered, so this is for the other
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
