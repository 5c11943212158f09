import { isWatchedRoute, serviceUnavailable } from '@sheaf/contract';
import {
  addLabels,
  createDocument,
  type Db,
  type Document,
  enqueueJob,
  findLedgerEntries,
  findPathOfDeleted,
  type LedgerEntry,
  lockDocumentByHash,
  lockStoredBytes,
  markPending,
  recordEvent,
  requireLabels,
} from '@sheaf/db';
import type { IncomingFile, IngestDeps, IngestResult } from './incoming-file.ts';
import { noteFile, rewriteNote, type SeenFile } from './note-file.ts';
import type { ReceivedFile } from './receive.ts';
import type { Refusal } from './refusal.ts';

/** A file whose bytes passed every check. */
export interface Arrival extends IncomingFile {
  readonly title: string;
  readonly mimeType: string;
  readonly received: ReceivedFile;
}

/** Someone removed the object, to which no row referred yet, between `put` and our transaction. */
export class BytesVanished extends Error {
  override readonly name = 'BytesVanished';
}

/** Makes everything that is true from now on true at once. The bytes were put at `filePath` under `key`. */
export const recordArrival = (
  { db, storage, settings }: IngestDeps,
  arrival: Arrival,
  filePath: string,
  key: string,
): Promise<IngestResult> =>
  db.transaction(async (tx) => {
    const { received, labelIds = [] } = arrival;
    await lockStoredBytes(tx, received.sha256, 'share');
    // Whoever removes bytes holds the lock alone: those that are here now are here when we commit.
    if ((await storage.stat(key)) === undefined) throw new BytesVanished(key);
    const known = await findKnownFile(tx, arrival);
    const deleted = await findDeleted(tx, arrival, known);
    if (deleted !== undefined) return recordDeleted(tx, arrival, deleted);
    await requireLabels(tx, labelIds);
    const document = await createDocument(tx, {
      ownerId: arrival.ownerId,
      title: arrival.title,
      filename: arrival.filename,
      mimeType: arrival.mimeType,
      sizeBytes: received.sizeBytes,
      sha256: received.sha256,
      filePath,
      ocrEnabled: arrival.ocrEnabled ?? true,
      ocrLanguage: arrival.language ?? settings.defaultLanguage,
      source: arrival.route,
      sourceId: arrival.sourceId,
    });
    if (document === undefined) return recordDuplicate(tx, arrival, settings.maxAttempts, known);
    await addLabels(tx, document.id, labelIds);
    await enqueueJob(tx, { documentId: document.id, maxAttempts: settings.maxAttempts });
    await recordEvent(
      tx,
      { type: 'document_created', document_id: document.id, title: document.title, source: arrival.route },
      arrival.ownerId,
    );
    await noteFile(tx, seenFile(arrival), { state: 'ingested', documentId: document.id });
    return { outcome: 'ingested', document };
  });

/** The ledger's row of a watched path, if these very bytes came from there before: the file was touched, not changed. */
const findKnownFile = async (tx: Db, { route, ledgerPath, ownerId, received }: Arrival): Promise<LedgerEntry | undefined> => {
  if (!isWatchedRoute(route)) return undefined;
  const [entry] = await findLedgerEntries(tx, route, [ledgerPath]);
  const wasTaken = entry?.state === 'ingested' || entry?.state === 'duplicate';
  return wasTaken && entry.sha256 === received.sha256 && entry.ownerId === ownerId ? entry : undefined;
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

const findRenamed = async (tx: Db, { route, ownerId, modifiedAt, received }: Arrival): Promise<DeletedFile | undefined> => {
  if (!isWatchedRoute(route) || modifiedAt === undefined) return undefined;
  const formerPath = await findPathOfDeleted(tx, { ...received, ownerId, modifiedAt });
  return formerPath === undefined ? undefined : { formerPath };
};

/** Neither a touch nor another name brings back what was deleted on purpose. */
const recordDeleted = async (tx: Db, arrival: Arrival, deleted: DeletedFile): Promise<IngestResult> => {
  const was = 'known' in deleted ? 'was taken in before' : `was taken in before as ${deleted.formerPath}`;
  const reason = `this very file ${was}, and its document was deleted since; upload it to have it again`;
  if ('known' in deleted) await rewriteNote(tx, seenFile(arrival), { state: deleted.known.state, reason });
  else await noteFile(tx, seenFile(arrival), { state: 'duplicate', reason });
  return { outcome: 'duplicate', documentId: null, requeued: false };
};

const recordDuplicate = async (tx: Db, arrival: Arrival, maxAttempts: number, known: LedgerEntry | undefined): Promise<IngestResult> => {
  const existing = await lockDocumentByHash(tx, arrival.ownerId, arrival.received.sha256);
  // Deleted since the insert was refused: rare enough to let the sender try again.
  if (existing === undefined) throw serviceUnavailable('The document that this file duplicates was just deleted; send the file again');
  const requeued = existing.status === 'failed';
  if (requeued) await queueAgain(tx, existing, maxAttempts);
  const reason = requeued ? 'the same file is here already; reading it had failed and is tried again' : 'the same file is here already';
  if (known?.documentId === existing.id)
    await rewriteNote(tx, seenFile(arrival), { state: known.state, reason: known.reason ?? undefined, documentId: existing.id });
  else await noteFile(tx, seenFile(arrival), { state: 'duplicate', reason, documentId: existing.id });
  return { outcome: 'duplicate', documentId: existing.id, requeued };
};

const queueAgain = async (tx: Db, document: Document, maxAttempts: number): Promise<void> => {
  await markPending(tx, document.id);
  await enqueueJob(tx, { documentId: document.id, maxAttempts });
  await recordEvent(tx, { type: 'document_updated', document_id: document.id, changes: { status: 'pending' } }, document.ownerId);
};

/** Notes a file that is not taken in. */
export const recordRefusal = async (db: Db, file: IncomingFile, refusal: Refusal, received: ReceivedFile | undefined): Promise<void> => {
  await db.transaction((tx) => noteFile(tx, { ...file, ...received }, { state: 'ignored', reason: refusal.message }));
};

const seenFile = (arrival: Arrival): SeenFile => ({ ...arrival, ...arrival.received });
