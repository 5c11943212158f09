import { lockStoredBytes, referencedHashes } from '@sheaf/db';
import { DOCUMENTS_PREFIX, hashOfKey, PREVIEWS_PREFIX, type StoredObject, THUMBNAILS_PREFIX } from '@sheaf/storage';
import type { IngestDeps } from './incoming-file.ts';

/** What nobody refers to for this long is removed: an ingest between bytes and row, however slow, is younger. */
export const ORPHAN_AGE_MS = 24 * 60 * 60 * 1_000;
const BATCH = 500;

export interface SweepDeps extends Pick<IngestDeps, 'db' | 'storage'> {
  readonly clock: { now(): Date };
  readonly signal?: AbortSignal;
}

/** Removes the stored objects, older than a day, that belong to no document; returns how many. */
export const sweepOrphans = async (deps: SweepDeps): Promise<number> => {
  const before = new Date(deps.clock.now().getTime() - ORPHAN_AGE_MS);
  let removed = 0;
  for (const prefix of [DOCUMENTS_PREFIX, PREVIEWS_PREFIX, THUMBNAILS_PREFIX]) {
    let batch: StoredObject[] = [];
    for await (const object of deps.storage.list(prefix)) {
      if (deps.signal?.aborted === true) return removed;
      if (object.modifiedAt < before) batch.push(object);
      if (batch.length < BATCH) continue;
      removed += await sweepBatch(deps, batch, before);
      batch = [];
    }
    removed += await sweepBatch(deps, batch, before);
  }
  return removed;
};

const sweepBatch = async (deps: SweepDeps, objects: readonly StoredObject[], before: Date): Promise<number> => {
  const hashes = objects.map(({ key }) => hashOfKey(key)).filter((hash) => hash !== undefined);
  const referenced = await referencedHashes(deps.db, hashes);
  let removed = 0;
  for (const { key } of objects) {
    const hash = hashOfKey(key);
    // A name that is not ours stays: someone put it there for a reason.
    if (hash !== undefined && !referenced.has(hash) && (await removeOrphan(deps, key, hash, before))) removed += 1;
  }
  return removed;
};

/**
 * Looks again under the lock that `recordArrival` shares: an ingest either committed its row before us, and we see it, or it
 * finds the object gone and stores it anew.
 */
const removeOrphan = ({ db, storage }: SweepDeps, key: string, hash: string, before: Date): Promise<boolean> =>
  db.transaction(async (tx) => {
    await lockStoredBytes(tx, hash, 'alone');
    if ((await referencedHashes(tx, [hash])).size > 0) return false;
    const object = await storage.stat(key);
    return object !== undefined && object.modifiedAt < before && storage.delete(key);
  });
