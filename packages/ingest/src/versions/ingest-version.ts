import { type Db, violates } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { lockStoredBytes } from '@sheaf/documents';
import { findOtherByHash } from '@sheaf/documents/versions';
import type { IncomingFile, IngestDeps } from '../incoming-file.ts';
import { noteFailure } from '../note-failure.ts';
import { noteFile } from '../note-file.ts';
import { duplicateReason, recordRefusal, seenFile } from '../record.ts';
import type { Refusal } from '../refusal.ts';
import { type Arrival, BytesVanished, type StoredAt, takeIn } from '../take-in.ts';
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
    return await takeIn<VersionFile, VersionResult>(file, deps, { arrival: recordVersion, refusal: refuse });
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
