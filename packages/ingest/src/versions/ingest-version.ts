import { AppError, storableText } from '@sheaf/contract';
import { ledgerReason, ledgerReasonOf } from '@sheaf/contract/imports';
import { type Db, isDatabaseUnavailable, violates } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { lockStoredBytes } from '@sheaf/documents';
import { findOtherByHash } from '@sheaf/documents/versions';
import { isWatchedRoute } from '@sheaf/vocabulary/documents';
import type { LedgerReason, LedgerReasonCode } from '@sheaf/vocabulary/ledger-reasons';
import { type Arrival, BytesVanished, FileChanged, importFile, type StoredAt } from '../import-file.ts';
import type { IncomingFile, IngestDeps, IngestResult, Refusal } from '../incoming-file.ts';
import { noteFile, toLedgerPath } from '../note-file.ts';
import { duplicateReason, recordArrival, recordRefusal, seenFile } from '../record.ts';
import { putVersion, removeTrimmed } from './put-version.ts';

/** A file that is to become the newest version of a document. Its owner is the document's. */
interface VersionFile extends IncomingFile {
  readonly documentId: string;
  /** Locks the document's job, then the document for update, and throws where the sender may not change it. */
  readonly lock: (tx: Db) => Promise<Document>;
  /** Writes down, in the same transaction, who replaced what by what. */
  readonly onReplaced: (tx: Db, before: Document, after: { readonly version: number; readonly sha256: string }) => Promise<void>;
}

export type VersionResult =
  | { readonly outcome: 'replaced' }
  /** It has these bytes already: nothing happened. */
  | { readonly outcome: 'unchanged' }
  /** Another document of the owner has them. */
  | { readonly outcome: 'duplicate'; readonly documentId: string }
  | ({ readonly outcome: 'refused' } & Refusal);

/**
 * Takes a file in as the newest version of a document: bytes safe in storage first, then everything that is true from then on in one
 * transaction. Killed in between, it leaves the document as it was. Throws as `ingest` does.
 */
export const ingestVersion = async (file: VersionFile, deps: IngestDeps): Promise<VersionResult> => {
  try {
    return await importFile<VersionFile, VersionResult>(file, deps, { arrival: recordVersion, refusal: refuse });
  } catch (error) {
    await noteFailure(deps.db, file, error);
    throw error;
  }
};

const refuse = async (...args: Parameters<typeof recordRefusal>): Promise<VersionResult> => {
  await recordRefusal(...args);
  const [, , refusal] = args;
  return { outcome: 'refused', ...refusal };
};

const recordVersion = async (deps: IngestDeps, arrival: Arrival<VersionFile>, stored: StoredAt): Promise<VersionResult> => {
  try {
    const { result, trimmed } = await recordOnce(deps, arrival, stored);
    await removeTrimmed(deps, trimmed);
    return result;
  } catch (error) {
    if (!violates(error, 'documents_owner_sha256_key')) throw error;
    const documentId = await findOtherByHash(deps.db, arrival.ownerId, arrival.received.sha256, arrival.documentId);
    if (documentId === undefined) throw error; // made and deleted in this moment
    return { outcome: 'duplicate', documentId };
  }
};

interface Recorded {
  readonly result: VersionResult;
  readonly trimmed: readonly string[];
}

const recordOnce = ({ db, storage, settings }: IngestDeps, arrival: Arrival<VersionFile>, stored: StoredAt): Promise<Recorded> =>
  db.transaction(async (tx) => {
    const { sha256 } = arrival.received;
    await lockStoredBytes(tx, sha256, 'share');
    // Whoever removes bytes holds the lock alone: those that are here now are here when we commit.
    if ((await storage.stat(stored.key)) === undefined) throw new BytesVanished(stored.key);
    const document = await arrival.lock(tx);
    if (document.sha256 === sha256) return { result: { outcome: 'unchanged' }, trimmed: [] };
    const other = await findOtherByHash(tx, document.ownerId, sha256, document.id);
    if (other !== undefined) return { result: await recordDuplicate(tx, arrival, other), trimmed: [] };
    const trimmed = await putVersion(tx, document, arrival, stored, settings.current());
    await noteFile(tx, seenFile(arrival), { state: 'ingested', documentId: document.id });
    await arrival.onReplaced(tx, document, { version: document.version + 1, sha256 });
    return { result: { outcome: 'replaced' }, trimmed };
  });

const recordDuplicate = async (tx: Db, arrival: Arrival, documentId: string): Promise<VersionResult> => {
  await noteFile(tx, seenFile(arrival), { state: 'duplicate', reason: duplicateReason(false), documentId });
  return { outcome: 'duplicate', documentId };
};

/**
 * Takes a file in that was uploaded or lies in a watched folder: bytes safe in storage first, then document, ledger, job and
 * events in one transaction. Killed anywhere in between it leaves at most a file that the sweeper removes. Memory does not grow
 * with the file. Throws INCOMPLETE_FILE when the body breaks, FileChanged when `confirm` says no, VALIDATION_ERROR for labels that
 * do not exist, QUEUE_FULL before any of `body` is read, SERVICE_UNAVAILABLE when the storage does not work; then nothing is left behind but, where the file is not in a
 * watched folder, a line of the ledger. After a refusal the rest of `body` is unread: the caller drains or destroys it.
 */
export const ingest = async (file: IncomingFile, deps: IngestDeps): Promise<IngestResult> => {
  try {
    return await importFile(file, deps, { arrival: recordArrival, refusal: recordRefusal });
  } catch (error) {
    if (!(error instanceof FileChanged)) await noteFailure(deps.db, file, error);
    throw error;
  }
};

/** What is known of a file that did not arrive whole, or could not be kept. */
type FailedFile = Pick<IncomingFile, 'route' | 'filename' | 'ledgerPath' | 'ownerId' | 'sourceId' | 'sizeBytes' | 'modifiedAt' | 'signal'>;

/**
 * Notes that a file was not imported because of `error`, which is the caller's to throw. A file of a watched folder is left as it
 * is: it is still there, and waits. Never throws: where the database is away there is nowhere to note anything.
 */
export const noteFailure = async (db: Db, file: FailedFile, error: unknown): Promise<void> => {
  if (isWatchedRoute(file.route)) return;
  const seen = { ...file, ledgerPath: toLedgerPath(file.ledgerPath) };
  try {
    await db.transaction((tx) => noteFile(tx, seen, { state: 'failed', reason: reasonOf(error, file) }));
  } catch {
    // `error` says more about what is wrong, to the sender as in the log, and this must not stand in its place
  }
};

/** In words for people, as the sender gets them; nothing of what nobody foresaw. */
const reasonOf = (error: unknown, { signal }: FailedFile): LedgerReason => {
  if (error instanceof AppError) return toFailureReason(error);
  if (signal?.aborted === true) return ledgerReason('broken_off');
  if (isDatabaseUnavailable(error)) return ledgerReason('database_away');
  return ledgerReason('server_error');
};

/** Errors whose code or reason says why, by that. */
const REASON_BY_CODE: Readonly<Record<string, LedgerReasonCode>> = {
  INCOMPLETE_FILE: 'incomplete',
  QUEUE_FULL: 'queue_was_full',
  too_large: 'too_large',
  too_many_files: 'too_many_files',
  unknown_labels: 'unknown_labels',
  duplicate_just_deleted: 'duplicate_just_deleted',
};

const codeOf = ({ kind, code, details: { reason } }: AppError): LedgerReasonCode =>
  REASON_BY_CODE[reason ?? code] ?? REASON_BY_CODE[code] ?? (kind === 'SERVICE_UNAVAILABLE' ? 'storage_away' : 'request_refused');

/** Why a file was not imported, by the error that its sender got. */
export const toFailureReason = (error: AppError): LedgerReason => {
  const message = storableText(error.message);
  const limits = Object.entries(error.details).filter(([, value]) => typeof value === 'number');
  return ledgerReasonOf(codeOf(error), { ...Object.fromEntries(limits), error: message });
};
