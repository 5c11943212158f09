import type { Db } from '@sheaf/db';
import { lockStoredBytes, referencedHashes } from '@sheaf/documents';
import { sleep } from '@sheaf/process';
import { documentKey, type Storage } from '@sheaf/storage';
import { checkStoredFile, type FileState, type ReadOptions } from './check-stored-file.ts';

export interface LookDeps {
  readonly db: Db;
  readonly storage: Storage;
}

export interface LookOptions extends ReadOptions {
  /** Between the first look, where it found something, and the second. */
  readonly pauseMs: number;
}

/**
 * Reads the original with this hash, and again where something is wrong with it: what was only on its way is no finding. Answers
 * 'unreferenced' where no document has these bytes any more. Throws SERVICE_UNAVAILABLE where the storage does not work.
 */
export const lookTwice = async (
  deps: LookDeps,
  sha256: string,
  { pauseMs, ...options }: LookOptions,
): Promise<FileState | 'unreferenced'> => {
  if ((await checkStoredFile(deps.storage, sha256, options)) === 'ok') return 'ok';
  await sleep(pauseMs, options.signal ?? new AbortController().signal);
  options.signal?.throwIfAborted();
  const state = await checkStoredFile(deps.storage, sha256, options);
  if (state === 'ok') return state;
  const presence = await findPresence(deps, sha256);
  if (presence === 'unreferenced') return presence;
  return state === 'missing' && presence === 'present' ? checkStoredFile(deps.storage, sha256, options) : state;
};

/**
 * Whether bytes and rows belong together now, as nobody can see it who comes between them: a deletion takes the rows first, and one
 * who moves an object from storage to storage takes it from the place that was asked last to the one that was asked first.
 */
const findPresence = ({ db, storage }: LookDeps, sha256: string): Promise<'unreferenced' | 'absent' | 'present'> =>
  db.transaction(async (tx) => {
    await lockStoredBytes(tx, sha256, 'share');
    if ((await referencedHashes(tx, [sha256])).size === 0) return 'unreferenced';
    return (await storage.stat(documentKey(sha256))) === undefined ? 'absent' : 'present';
  });
