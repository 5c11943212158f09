import { mkdtempDisposable } from 'node:fs/promises';
import { join } from 'node:path';
import { lockStoredBytes } from '@sheaf/documents';
import { lockRowsOfBytes, moveRowsOfBytes } from '@sheaf/ingest/integrity';
import { documentKey } from '@sheaf/storage';
import { type Condition, fetchOriginal, readOriginal } from './content.ts';
import { copyDerived, listDerived } from './derived-files.ts';
import { removeOldCopies } from './old-copies.ts';
import type { Transfer } from './transfer.ts';

/** What became of one original with all that belongs to it. */
export type MoveResult =
  | { readonly outcome: 'moved'; readonly documents: number; readonly sizeBytes: number; readonly oldCopy: 'removed' | 'kept' | 'left' }
  | { readonly outcome: 'skipped' }
  | { readonly outcome: Exclude<Condition, 'right'> };

/** An original that is in the target, read back. */
interface Arrived {
  readonly sizeBytes: number;
  /** Whether it came by us. */
  readonly isNew: boolean;
}

/** A folder for the copies of one object, removed at the end of its scope. */
export const openScratch = async ({ temp }: Transfer): Promise<Awaited<ReturnType<typeof mkdtempDisposable>>> => {
  await temp.make();
  return mkdtempDisposable(join(temp.path, 'moving-'));
};

/** Puts the file into the target until it reads back with its hash; one that was there and is damaged is replaced. */
const deliver = async ({ target: { storage } }: Transfer, sha256: string, path: string): Promise<boolean> => {
  const key = documentKey(sha256);
  const { isNew } = await storage.put(key, path);
  if ((await readOriginal(storage, sha256)) === 'right') return isNew;
  await storage.replace(key, path);
  if ((await readOriginal(storage, sha256)) === 'right') return isNew;
  if (isNew) await storage.delete(key);
  throw new Error(`${storage.pathOf(key)} differs from what was written; check the storage ${storage.place}`);
};

/** Sees to it that the target has the original, or says what is wrong with that of the source. */
export const bring = async (
  transfer: Transfer,
  sha256: string,
  scratch: string,
): Promise<Arrived | { readonly condition: 'missing' | 'damaged' }> => {
  const { source, target } = transfer;
  const original = await fetchOriginal(source.storage, sha256, scratch);
  if (original.condition === 'right') return { sizeBytes: original.sizeBytes, isNew: await deliver(transfer, sha256, original.path) };
  // A killed run has moved it, or somebody put it there: then only the row is behind.
  if ((await readOriginal(target.storage, sha256)) !== 'right') return original;
  const there = await target.storage.stat(documentKey(sha256));
  return there === undefined ? original : { sizeBytes: there.sizeBytes, isNew: false };
};

/** Nobody refers to what we have just brought. */
const takeBack = async ({ target: { storage } }: Transfer, sha256: string): Promise<void> => {
  for (const { key } of await listDerived(storage, sha256)) await storage.delete(key);
  await storage.delete(documentKey(sha256));
};

/** Has the rows say where the bytes are now; undefined where there are none any more. */
const switchRows = (transfer: Transfer, sha256: string, { sizeBytes, isNew }: Arrived): Promise<number | undefined> =>
  transfer.db.transaction(async (tx) => {
    const { source, target } = transfer;
    const key = documentKey(sha256);
    await lockStoredBytes(tx, sha256, 'alone');
    if ((await lockRowsOfBytes(tx, sha256)).length === 0) {
      if (isNew) await takeBack(transfer, sha256); // what was there before is the sweep's
      return undefined;
    }
    // A document that was deleted and came again since has taken our copy with it.
    if ((await target.storage.stat(key))?.sizeBytes !== sizeBytes)
      throw new Error('deleted and uploaded again during the move; run the migration again');
    return moveRowsOfBytes(tx, sha256, source.place, target.storage.pathOf(key));
  });

/**
 * Moves the bytes with this hash, and what was made from them: copied, read back, rows switched, old copies removed, in this
 * order, so that at every moment a right copy is where the rows say. Throws when a storage or the database fails.
 */
export const moveBytes = async (transfer: Transfer, sha256: string): Promise<MoveResult> => {
  await using scratch = await openScratch(transfer);
  const arrived = await bring(transfer, sha256, scratch.path);
  if ('condition' in arrived) return { outcome: arrived.condition };
  await copyDerived(transfer, sha256, scratch.path);
  const documents = await switchRows(transfer, sha256, arrived);
  if (documents === undefined) return { outcome: 'skipped' };
  const oldCopy = transfer.keepsOldCopies ? 'left' : await removeOldCopies(transfer, sha256, true);
  return { outcome: 'moved', documents, sizeBytes: arrived.sizeBytes, oldCopy };
};
