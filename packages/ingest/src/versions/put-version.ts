import { AppError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { hasKeptFiles, holdOffBackup, isHashReferenced, lockStoredBytes, referencedHashes } from '@sheaf/documents';
import { replaceContent, trimVersions } from '@sheaf/documents/versions';
import { recordEvent } from '@sheaf/events';
import type { Clock } from '@sheaf/process';
import { queueReading } from '@sheaf/queue';
import {
  DERIVED_PREFIXES,
  DOCUMENTS_PREFIX,
  documentKey,
  hashOfKey,
  ORPHANS_PREFIX,
  orphanKey,
  previewKey,
  type Storage,
  type StorageSource,
  type StoredObject,
  searchableKey,
  thumbnailKey,
} from '@sheaf/storage';
import type { Arrival, StoredAt } from '../import-file.ts';
import type { IngestDeps, IngestSettings } from '../incoming-file.ts';

/**
 * Makes an arrival the newest version of a document, whose row and job are locked, and has it processed. Its text stays until then, its
 * title, its labels and what people have set for ever. Returns the hashes of versions that are too many now: `removeTrimmed` takes them.
 */
export const putVersion = async (
  tx: Db,
  document: Document,
  arrival: Arrival,
  { filePath }: StoredAt,
  { maxAttempts, versionsKeep }: IngestSettings,
): Promise<string[]> => {
  const { filename, mimeType, route: source, sourceId = null } = arrival;
  const { sha256, sizeBytes } = arrival.received;
  await replaceContent(tx, document.id, { sha256, sizeBytes, mimeType, filePath, filename, source, sourceId });
  await queueReading(tx, [document.id], { maxAttempts });
  const changes = { version: document.version + 1, filename, sha256, size: sizeBytes, mime_type: mimeType, status: 'pending' };
  await recordEvent(tx, { type: 'document_updated', document_id: document.id, changes }, document.ownerId);
  return trimVersions(tx, document.id, versionsKeep);
};

/**
 * Removes the bytes of versions that were trimmed, as far as no row refers to them. After the commit: what stays because the process ends
 * here, a backup runs or the storage is away is left to the sweep.
 */
export const removeTrimmed = async (deps: Pick<IngestDeps, 'db' | 'storage'>, hashes: readonly string[]): Promise<void> => {
  for (const sha256 of hashes) await removeStoredBytes(deps, sha256).catch(() => false);
};

/** What nobody refers to for this long is swept: an ingest between bytes and row, however slow, is younger. */
const ORPHAN_AGE_MS = 24 * 60 * 60 * 1_000;
/** Swept originals are kept for so long: after a restore of an older database it is the rows that are wrong, not the files. */
const ORPHAN_RETENTION_MS = 30 * ORPHAN_AGE_MS;
const BATCH = 500;

interface SweepDeps extends Pick<IngestDeps, 'db' | 'storage'> {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/**
 * Sweeps the stored objects, older than a day, that nothing refers to, and returns how many: derived files are removed,
 * originals are set aside for 30 days first. A database that refers to none sweeps nothing: it is rather the wrong database.
 */
export const sweepOrphans = async (deps: SweepDeps): Promise<number> => {
  if (!(await hasKeptFiles(deps.db))) return 0;
  let swept = 0;
  for await (const orphan of findOrphans(deps)) if (await sweepOrphan(deps, orphan)) swept += 1;
  for await (const batch of batchesOf(deps, ORPHANS_PREFIX, ago(deps, ORPHAN_RETENTION_MS))) {
    for (const { key } of batch) await deps.storage.delete(key);
  }
  return swept;
};

const ago = ({ clock }: SweepDeps, ms: number): Date => new Date(clock.now().getTime() - ms);

/** The stored objects that `sweepOrphans` sweeps now. */
export const findOrphans = async function* (deps: SweepDeps): AsyncIterable<StoredObject> {
  if (!(await hasKeptFiles(deps.db))) return;
  for (const prefix of [DOCUMENTS_PREFIX, ...DERIVED_PREFIXES]) {
    for await (const batch of batchesOf(deps, prefix, ago(deps, ORPHAN_AGE_MS))) yield* await withoutDocuments(deps, batch);
  }
};

/** Sweeps one of them, unless something refers to it by now; returns whether it did. */
export const sweepOrphan = async (deps: SweepDeps, { key }: StoredObject): Promise<boolean> => {
  const hash = hashOfKey(key);
  return hash !== undefined && (await sweepOne(deps, key, hash, ago(deps, ORPHAN_AGE_MS)));
};

/** The objects under `prefix` that were last written before `before`, some at a time. Ends early when the sweep is to stop. */
const batchesOf = async function* ({ storage, signal }: SweepDeps, prefix: string, before: Date): AsyncIterable<readonly StoredObject[]> {
  let batch: StoredObject[] = [];
  for await (const object of storage.list(prefix)) {
    if (signal?.aborted === true) return;
    if (object.modifiedAt < before) batch.push(object);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
};

const withoutDocuments = async ({ db }: SweepDeps, objects: readonly StoredObject[]): Promise<StoredObject[]> => {
  const hashes = objects.map(({ key }) => hashOfKey(key)).filter((hash) => hash !== undefined);
  const referenced = await referencedHashes(db, hashes);
  return objects.filter(({ key }) => {
    const hash = hashOfKey(key);
    // A name that is not ours stays: someone put it there for a reason.
    return hash !== undefined && !referenced.has(hash);
  });
};

/**
 * Does `remove` where nothing refers to the bytes, under the lock that everyone shares who makes a row of them, and while no backup begins. Returns
 * what it does, or false: something refers to them, or a backup runs, whose snapshot may have rows that do.
 */
const removeUnreferenced = (db: Db, sha256: string, remove: () => Promise<boolean>): Promise<boolean> =>
  db.transaction(async (tx) => {
    await lockStoredBytes(tx, sha256, 'alone');
    if (!(await holdOffBackup(tx))) return false;
    return (await isHashReferenced(tx, sha256)) ? false : await remove();
  });

/**
 * Removes the bytes of a deleted document, with all that was derived from them, unless another document, an earlier version or the trash
 * has the same ones.
 * Call it after the commit: a crash in between leaves orphans for the sweep, and so does a backup that runs. Returns whether they
 * were removed.
 */
export const removeStoredBytes = ({ db, storage }: Pick<SweepDeps, 'db' | 'storage'>, sha256: string): Promise<boolean> =>
  removeUnreferenced(db, sha256, async () => {
    for (const anyOne of [thumbnailKey(sha256, ''), searchableKey(sha256, '')])
      for await (const { key } of storage.list(anyOne.slice(0, anyOne.lastIndexOf('/') + 1)))
        if (hashOfKey(key) === sha256) await storage.delete(key);
    await storage.delete(previewKey(sha256));
    return storage.delete(documentKey(sha256));
  });

/** A file that was made from a document, and where it is kept. */
interface DerivedFile {
  readonly key: string;
  readonly source: StorageSource;
}

/**
 * Keeps what was made from a document, such as its PDF rendition, for a later try and for people. A document that was deleted meanwhile has
 * taken its files with it, and these must not stay behind: looked at after they are there, so that either the deletion sees them or we see
 * the deletion. Returns whether something refers to the bytes still; if not, what was made is gone again, or left for the sweep while a backup runs.
 */
export const keepDerivedFiles = async (
  { db, storage }: Pick<SweepDeps, 'db' | 'storage'>,
  sha256: string,
  files: readonly DerivedFile[],
): Promise<boolean> => {
  if (files.length === 0) return true;
  await Promise.all(files.map(({ key, source }) => storage.put(key, source)));
  if (await isHashReferenced(db, sha256)) return true;
  await removeUnreferenced(db, sha256, async () => {
    for (const { key } of files) await storage.delete(key);
    return true;
  });
  return false;
};

/**
 * Looks again under the lock that `recordArrival` shares: an ingest either committed its row before us, and we see it, or it
 * finds the object gone and stores it anew.
 */
const sweepOne = ({ db, storage }: SweepDeps, key: string, hash: string, before: Date): Promise<boolean> =>
  removeUnreferenced(db, hash, async () => {
    const object = await storage.stat(key);
    if (object === undefined || object.modifiedAt >= before) return false;
    if (key.startsWith(DOCUMENTS_PREFIX) && !(await supersede(storage, key, hash))) return false;
    return storage.delete(key);
  });

/** False for a damaged original, which a storage in the network finds out while it is read: it stays, and holds up none of the others. */
const supersede = async (storage: Storage, key: string, hash: string): Promise<boolean> => {
  try {
    await storage.put(orphanKey(hash), (await storage.open(key)).stream);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'FILE_DAMAGED') return false;
    throw error;
  }
};
