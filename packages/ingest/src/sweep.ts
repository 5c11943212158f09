import { countDocuments, lockStoredBytes, referencedHashes } from '@sheaf/db';
import type { Clock } from '@sheaf/runtime';
import {
  DOCUMENTS_PREFIX,
  documentKey,
  hashOfKey,
  ORPHANS_PREFIX,
  orphanKey,
  PREVIEWS_PREFIX,
  previewKey,
  type StoredObject,
  THUMBNAILS_PREFIX,
  thumbnailKey,
} from '@sheaf/storage';
import type { IngestDeps } from './incoming-file.ts';

/** What nobody refers to for this long is swept: an ingest between bytes and row, however slow, is younger. */
export const ORPHAN_AGE_MS = 24 * 60 * 60 * 1_000;
/** Swept originals are kept for so long: after a restore of an older database it is the rows that are wrong, not the files. */
const ORPHAN_RETENTION_MS = 30 * ORPHAN_AGE_MS;
const BATCH = 500;

export interface SweepDeps extends Pick<IngestDeps, 'db' | 'storage'> {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/**
 * Sweeps the stored objects, older than a day, that belong to no document, and returns how many: derived files are removed,
 * originals are set aside for 30 days first. A database without any document sweeps nothing: it is rather the wrong database.
 */
export const sweepOrphans = async (deps: SweepDeps): Promise<number> => {
  if ((await countDocuments(deps.db)) === 0) return 0;
  const nowMs = deps.clock.now().getTime();
  let swept = 0;
  for (const prefix of [DOCUMENTS_PREFIX, PREVIEWS_PREFIX, THUMBNAILS_PREFIX]) {
    for await (const batch of batchesOf(deps, prefix, new Date(nowMs - ORPHAN_AGE_MS)))
      swept += await sweepBatch(deps, batch, new Date(nowMs - ORPHAN_AGE_MS));
  }
  for await (const batch of batchesOf(deps, ORPHANS_PREFIX, new Date(nowMs - ORPHAN_RETENTION_MS))) {
    for (const { key } of batch) await deps.storage.delete(key);
  }
  return swept;
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

const sweepBatch = async (deps: SweepDeps, objects: readonly StoredObject[], before: Date): Promise<number> => {
  const hashes = objects.map(({ key }) => hashOfKey(key)).filter((hash) => hash !== undefined);
  const referenced = await referencedHashes(deps.db, hashes);
  let swept = 0;
  for (const { key } of objects) {
    const hash = hashOfKey(key);
    // A name that is not ours stays: someone put it there for a reason.
    if (hash !== undefined && !referenced.has(hash) && (await sweepOne(deps, key, hash, before))) swept += 1;
  }
  return swept;
};

/**
 * Removes the bytes of a deleted document, with all that was derived from them, unless another document has the same ones.
 * Call it after the commit: a crash in between leaves orphans for the sweep. Returns whether they were removed.
 */
export const removeStoredBytes = ({ db, storage }: Pick<SweepDeps, 'db' | 'storage'>, sha256: string): Promise<boolean> =>
  db.transaction(async (tx) => {
    await lockStoredBytes(tx, sha256, 'alone');
    if ((await referencedHashes(tx, [sha256])).size > 0) return false;
    const thumbnails = thumbnailKey(sha256, '');
    for await (const { key } of storage.list(thumbnails.slice(0, thumbnails.lastIndexOf('/') + 1)))
      if (hashOfKey(key) === sha256) await storage.delete(key);
    await storage.delete(previewKey(sha256));
    return storage.delete(documentKey(sha256));
  });

/**
 * Looks again under the lock that `recordArrival` shares: an ingest either committed its row before us, and we see it, or it
 * finds the object gone and stores it anew.
 */
const sweepOne = ({ db, storage }: SweepDeps, key: string, hash: string, before: Date): Promise<boolean> =>
  db.transaction(async (tx) => {
    await lockStoredBytes(tx, hash, 'alone');
    if ((await referencedHashes(tx, [hash])).size > 0) return false;
    const object = await storage.stat(key);
    if (object === undefined || object.modifiedAt >= before) return false;
    if (key.startsWith(DOCUMENTS_PREFIX)) await storage.put(orphanKey(hash), (await storage.open(key)).stream);
    return storage.delete(key);
  });
