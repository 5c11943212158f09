import { ledgerReason } from '@sheaf/contract/imports';
import { type Db, violates } from '@sheaf/db';
import type { Document, SourceFile } from '@sheaf/db/schema';
import { hasOtherOrigin, lockDocumentAndJob, lockDocumentByHash, lockStoredBytes } from '@sheaf/documents';
import { findByEarlierHash } from '@sheaf/documents/versions';
import { retry } from '@sheaf/process';
import {
  findFilesOfBytes,
  findSourceFiles,
  forgetFiles,
  markDocumentsAtSource,
  type RemoteVersion,
  recordFile,
  recordIgnored,
} from '@sheaf/sources';
import { decide, type FileDecision, type FileFacts } from './file-decision.ts';
import { type Arrival, BytesVanished, importFile, type ReceivedFile, type StoredAt } from './import-file.ts';
import { type IncomingFile, type IngestDeps, type IngestSettings, type Refusal, toLedgerReason } from './incoming-file.ts';
import { type LedgerOutcome, noteFile, rewriteNote } from './note-file.ts';
import { createDocument, deletedReason, duplicateReason, notifyDuplicate, queueAgain, restoreTrashed, seenFile } from './record.ts';
import { findTrashedBytes } from './trash/index.ts';
import { putVersion, removeTrimmed } from './versions/put-version.ts';

/**
 * Takes in a file of a source: bytes safe in storage first, then its document, ledger, job, events and what is remembered of the
 * file in one transaction. Changed contents are the newest version of their document. Throws as `ingest` does, but notes nothing then: whoever runs the source decides what comes of it.
 */
export const ingestRemote = (file: RemoteIncomingFile, deps: IngestDeps): Promise<RemoteResult> =>
  importFile(file, deps, { arrival: recordRemoteArrival, refusal: recordRemoteRefusal });

type RemoteArrival = Arrival<RemoteIncomingFile>;

/** What a file of a source is looked at in, once it is not simply new. */
interface RemoteCase {
  readonly arrival: RemoteArrival;
  readonly stored: StoredAt;
  readonly settings: IngestSettings;
  /** What was known of its path. */
  readonly own: SourceFile | undefined;
  /** The files of other paths that had these bytes. */
  readonly others: readonly SourceFile[];
  /** Those that are gone at the source, where the document came from them alone. */
  readonly movedFrom: readonly SourceFile[];
  /** The owner's document of these bytes, or of which they are an earlier version. */
  readonly existing: Document | undefined;
  /** The document whose newest version it is. */
  readonly replaced: Document | undefined;
  readonly trashedId: string | undefined;
  readonly facts: FileFacts;
}

/** The same content became a document by another way, another file of this run perhaps, since it was looked whether they were one. */
class TakenMeanwhile extends Error {
  override readonly name = 'TakenMeanwhile';
}

const MAX_LOOKS = 3;

/** Makes everything that is true from now on true at once, what is remembered of the source's file included. */
const recordRemoteArrival = async (deps: IngestDeps, arrival: RemoteArrival, stored: StoredAt): Promise<RemoteResult> => {
  const { trimmed, ...result } = await retry(() => recordOnce(deps, arrival, stored), {
    attempts: MAX_LOOKS,
    isPassing: (error) => error instanceof TakenMeanwhile || violates(error, 'documents_owner_sha256_key'),
  });
  if (trimmed !== undefined) await removeTrimmed(deps, trimmed);
  return result;
};

/** With the hashes of versions that are too many now. */
type Recorded = RemoteResult & { readonly trimmed?: readonly string[] };

const recordOnce = ({ db, storage, settings: live }: IngestDeps, arrival: RemoteArrival, stored: StoredAt): Promise<Recorded> => {
  const settings = live.current();
  return db.transaction(async (tx) => {
    const document =
      arrival.replaces === undefined
        ? await createDocument(tx, arrival, stored, settings, { version: arrival.version, unlessKnown: true })
        : undefined;
    if (document === undefined) await lockStoredBytes(tx, arrival.received.sha256, 'share');
    // Whoever removes bytes holds the lock alone: those that are here now are here when we commit.
    if ((await storage.stat(stored.key)) === undefined) throw new BytesVanished(stored.key);
    if (document !== undefined) return { outcome: 'added', documentId: document.id };
    return recordWithCare(tx, await lookUp(tx, arrival, stored, settings));
  });
};

const lookUp = async (tx: Db, arrival: RemoteArrival, stored: StoredAt, settings: IngestSettings): Promise<RemoteCase> => {
  const { sourceId, ledgerPath, ownerId, received } = arrival;
  const [own] = await findSourceFiles(tx, sourceId, [ledgerPath]);
  const sameBytes = await findFilesOfBytes(tx, sourceId, received.sha256);
  const others = sameBytes.filter(({ path }) => path !== ledgerPath);
  const wasHere = own?.sha256 === received.sha256 && (own.state === 'ingested' || own.state === 'duplicate');
  const ofBytes = await lockDocumentByHash(tx, ownerId, received.sha256);
  const existing = ofBytes ?? (await findByEarlierVersion(tx, arrival, own, others, wasHere));
  const movedFrom = existing === undefined ? [] : findMovedFrom(arrival, existing, others);
  const mayBeNew = existing === undefined && !wasHere && others.length === 0;
  const replaced = mayBeNew ? await lockReplaced(tx, arrival, own) : undefined;
  const trashed = mayBeNew && replaced === undefined ? await findTrashedBytes(tx, ownerId, received.sha256) : undefined;
  const facts: FileFacts = {
    way: 'source',
    path: own === undefined ? 'new' : wasHere ? 'same' : 'changed',
    document: existing === undefined ? 'none' : ofBytes === undefined ? 'earlier' : own?.documentId === existing.id ? 'own' : 'other',
    elsewhere: movedFrom.length > 0 ? 'gone' : existing === undefined && others.length > 0 ? 'deleted' : 'none',
    replaces: replaced !== undefined,
    trashed: trashed !== undefined,
  };
  return { arrival, stored, settings, own, others, movedFrom, existing, replaced, trashedId: trashed?.id, facts };
};

const recordWithCare = async (tx: Db, found: RemoteCase): Promise<Recorded> =>
  (RECORDED_AS[decide(found.facts)] ?? recordDuplicate)(tx, found);

/**
 * The document that a file became which is what it was, or moved, while somebody put another file under that document: these bytes are
 * an earlier version of it.
 */
const findByEarlierVersion = (
  tx: Db,
  { received }: RemoteArrival,
  own: SourceFile | undefined,
  others: readonly SourceFile[],
  wasHere: boolean,
): Promise<Document | undefined> => {
  const files = wasHere && own !== undefined ? [own] : own === undefined ? others : [];
  return findByEarlierHash(
    tx,
    files.flatMap(({ documentId }) => documentId ?? []),
    received.sha256,
  );
};

/** The paths that a document came from, if it is of this source alone and they are gone there. */
const findMovedFrom = ({ sourceId, received }: RemoteArrival, existing: Document, others: readonly SourceFile[]): readonly SourceFile[] => {
  const removed = others.filter(({ documentId, removedAt }) => documentId === existing.id && removedAt !== null);
  const isOfSource = existing.sourceId === sourceId || existing.sha256 !== received.sha256;
  return removed.length === others.length && isOfSource ? removed : [];
};

const remember = (
  tx: Db,
  { arrival: { sourceId, ledgerPath, version, received } }: RemoteCase,
  state: SourceFile['state'],
  documentId: string | null,
): Promise<void> => recordFile(tx, { sourceId, path: ledgerPath, version, sha256: received.sha256, state, documentId });

const note = (tx: Db, { arrival }: RemoteCase, outcome: LedgerOutcome): Promise<void> => noteFile(tx, seenFile(arrival), outcome);

const recordDeleted = async (tx: Db, found: RemoteCase): Promise<RemoteResult> => {
  await noteDeleted(tx, found, found.own?.state ?? 'ingested');
  return { outcome: 'unchanged', documentId: null };
};

/** All that these bytes became under other names was deleted here. */
const recordDeletedElsewhere = async (tx: Db, found: RemoteCase): Promise<RemoteResult> => {
  await noteDeleted(tx, found, 'duplicate', found.others[0]?.path);
  return { outcome: 'duplicate', documentId: null };
};

const noteDeleted = async (tx: Db, found: RemoteCase, state: SourceFile['state'], formerPath?: string): Promise<void> => {
  await remember(tx, found, state, null);
  await rewriteNote(tx, seenFile(found.arrival), { state, reason: deletedReason(formerPath) });
};

const recordUnchanged = async (tx: Db, found: RemoteCase): Promise<RemoteResult> => {
  const { arrival, own } = found;
  const documentId = idOf(found.existing);
  // Its document was deleted and came back by another way, which it is a duplicate of; or its contents are what they once were.
  const isOwn = own?.documentId === documentId && own.state !== 'duplicate';
  const state = isOwn ? 'ingested' : 'duplicate';
  await remember(tx, found, state, documentId);
  await markDocumentsAtSource(tx, arrival.sourceId, [documentId]);
  await rewriteNote(tx, seenFile(arrival), { state, documentId });
  return { outcome: 'unchanged', documentId };
};

const recordMoved = async (tx: Db, found: RemoteCase): Promise<RemoteResult> => {
  const documentId = idOf(found.existing);
  const from = found.movedFrom[0]?.path ?? '';
  await forgetFiles(
    tx,
    found.movedFrom.map(({ id }) => id),
  );
  await remember(tx, found, 'ingested', documentId);
  await markDocumentsAtSource(tx, found.arrival.sourceId, [documentId]);
  await note(tx, found, { state: 'ingested', reason: ledgerReason('moved_from', { path: from }), documentId });
  return { outcome: 'moved', documentId, from };
};

const recordDuplicate = async (tx: Db, found: RemoteCase): Promise<RemoteResult> => {
  const { existing } = found;
  if (existing === undefined) throw new TakenMeanwhile();
  const isFailed = existing.status === 'failed';
  if (isFailed) await queueAgain(tx, existing, found.settings.maxAttempts);
  const reason = duplicateReason(isFailed);
  await remember(tx, found, 'duplicate', existing.id);
  await markDocumentsAtSource(tx, found.arrival.sourceId, [existing.id]);
  await note(tx, found, { state: 'duplicate', reason, documentId: existing.id });
  await notifyDuplicate(tx, found.settings.notifications, seenFile(found.arrival), existing.id, reason);
  return { outcome: 'duplicate', documentId: existing.id };
};

/** Makes changed contents the newest version of the document that the file became before. */
const recordChanged = async (tx: Db, { arrival, stored, settings, replaced }: RemoteCase): Promise<Recorded> => {
  if (replaced === undefined) throw new TakenMeanwhile();
  const trimmed = await putVersion(tx, replaced, arrival, stored, settings);
  const { sourceId, ledgerPath: path, version } = arrival;
  const { sha256 } = arrival.received;
  await recordFile(tx, { sourceId, path, version, sha256, state: 'ingested', documentId: replaced.id });
  await noteFile(tx, seenFile(arrival), { state: 'ingested', documentId: replaced.id });
  return { outcome: 'updated', documentId: replaced.id, trimmed };
};

/**
 * The document that changed contents are the newest version of. Undefined where there is no such document any more, or where it is not this
 * file's alone: what somebody uploaded, or another path brought, must not change under its owner.
 */
const lockReplaced = async (
  tx: Db,
  { replaces, sourceId, ownerId, ledgerPath }: RemoteArrival,
  own: SourceFile | undefined,
): Promise<Document | undefined> => {
  if (replaces === undefined || own?.documentId !== replaces || own.state === 'duplicate') return undefined;
  const document = await lockDocumentAndJob(tx, replaces);
  if (document === undefined || document.ownerId !== ownerId) return undefined;
  return (await hasOtherOrigin(tx, replaces, sourceId, ledgerPath)) ? undefined : document;
};

/** The document of these bytes comes back from the trash, where its file went or where somebody put it. */
const recordRestored = async (tx: Db, found: RemoteCase): Promise<RemoteResult> => {
  const { id, sourceId } = await restoreTrashed(tx, found.trashedId ?? '', seenFile(found.arrival));
  await remember(tx, found, 'ingested', id);
  if (sourceId !== null) await markDocumentsAtSource(tx, sourceId, [id]);
  return { outcome: 'added', documentId: id };
};

/** A new document after all: the one that it was to replace is gone, or is also what others brought. */
const recordLate = async (tx: Db, found: RemoteCase): Promise<RemoteResult> => {
  const { arrival, stored, settings } = found;
  const document = await createDocument(tx, arrival, stored, settings, { version: arrival.version });
  if (document === undefined) throw new TakenMeanwhile();
  return { outcome: 'added', documentId: document.id };
};

const RECORDED_AS: Readonly<Partial<Record<FileDecision, (tx: Db, found: RemoteCase) => Promise<Recorded>>>> = {
  new: recordLate,
  known: recordUnchanged,
  replaced: recordUnchanged,
  deleted: recordDeleted,
  deleted_elsewhere: recordDeletedElsewhere,
  changed: recordChanged,
  restored: recordRestored,
  moved: recordMoved,
};

const idOf = (document: Document | undefined): string => {
  if (document === undefined) throw new TakenMeanwhile();
  return document.id;
};

/** Notes a file that was opened and is not imported. What it was before stays as it is. */
const recordRemoteRefusal = async (
  { db }: IngestDeps,
  file: RemoteIncomingFile,
  refusal: Refusal,
  received: ReceivedFile | undefined,
): Promise<RemoteResult> => {
  await db.transaction(async (tx) => {
    await recordIgnored(tx, file.sourceId, [{ path: file.ledgerPath, version: file.version, wasOpened: true }]);
    await noteFile(tx, { ...file, ...received }, { state: 'ignored', reason: toLedgerReason(refusal) });
  });
  return { outcome: 'refused', ...refusal };
};

/** A file of a source, open to be read. */
interface RemoteIncomingFile extends IncomingFile {
  readonly sourceId: string;
  /** As the source lists it: what the next listing is compared with. */
  readonly version: RemoteVersion;
  /** The document that the file became before, whose contents are other ones by now. */
  readonly replaces?: string | undefined;
}

export type RemoteResult =
  | { readonly outcome: 'added'; readonly documentId: string }
  /** The document has the new contents and waits to be read again. */
  | { readonly outcome: 'updated'; readonly documentId: string }
  /** It is what it was. Null where the document that it became was deleted here: it does not come back. */
  | { readonly outcome: 'unchanged'; readonly documentId: string | null }
  /** Another file of this source, gone by now, brought the document. */
  | { readonly outcome: 'moved'; readonly documentId: string; readonly from: string }
  /** Null where a document of these bytes was deleted here, which came under another name then. */
  | { readonly outcome: 'duplicate'; readonly documentId: string | null }
  | ({ readonly outcome: 'refused' } & Refusal);
