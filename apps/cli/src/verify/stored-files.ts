import { AppError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import {
  countReferencedFiles,
  type FileOfDocuments,
  type FileState,
  listReferencedFiles,
  lookTwice,
  noteFileCheck,
  putBack,
} from '@sheaf/integrity';
import { systemClock } from '@sheaf/process';
import { documentKey } from '@sheaf/storage';
import type { Check, Difference, Progress } from './check.ts';
import { eachByHash, type FileCheckDeps, subjectOf } from './file-check-deps.ts';

/** Files that are read at the same time: enough to hide the way to a storage in the network. */
const AT_ONCE = 4;
const SECOND_LOOK_MS = 500;

const FINDINGS: Readonly<Record<Exclude<FileState, 'ok'>, string>> = {
  missing: 'its stored file is missing',
  changed: 'its stored file is damaged: hash mismatch',
  unreadable: 'its stored file cannot be read',
};

/** A storage that works otherwise, and does not give this file: nothing was learnt of it. */
interface NotLooked {
  readonly reason: AppError;
}

type Seen = FileState | 'unreferenced' | NotLooked;

/** Every byte; or in a hurry presence and size, where nothing is known to be wrong. */
const look = async (deps: FileCheckDeps, { sha256, sizeBytes, finding }: FileOfDocuments): Promise<Seen> => {
  try {
    if (deps.isFast && finding === undefined) {
      const object = await deps.storage.stat(documentKey(sha256));
      if (object?.sizeBytes === sizeBytes) return 'ok';
    }
    const state = await lookTwice(deps, sha256, { pauseMs: SECOND_LOOK_MS });
    if (state !== 'unreferenced') await noteFileCheck(deps, { sha256, finding: state === 'ok' ? undefined : state }, systemClock.now());
    return state;
  } catch (error) {
    const isOfFile =
      error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE' && (await deps.storage.check()).status !== 'unhealthy';
    if (!isOfFile) throw error;
    return { reason: error };
  }
};

const toDifference = (deps: FileCheckDeps, { sha256, documentIds }: FileOfDocuments, seen: Seen): Difference | undefined => {
  if (seen === 'ok' || seen === 'unreferenced') return undefined;
  const subject = subjectOf(documentIds);
  if (typeof seen === 'object')
    return { subject, finding: `its stored file cannot be read: ${seen.reason.message}`, repair: () => Promise.reject(seen.reason) };
  const repair = async (): Promise<void> => {
    await putBack(deps, sha256);
    await noteFileCheck(deps, { sha256, finding: undefined }, systemClock.now());
  };
  return { subject, finding: FINDINGS[seen], repair };
};

async function* find(deps: FileCheckDeps, db: Db, progress: Progress): AsyncGenerator<Difference> {
  const total = await countReferencedFiles(db);
  let done = 0;
  for await (const page of eachByHash(db, listReferencedFiles)) {
    for (let at = 0; at < page.length; at += AT_ONCE) {
      const files = page.slice(at, at + AT_ONCE);
      const seen = await Promise.all(files.map(async (file) => ({ file, state: await look(deps, file) })));
      for (const { file, state } of seen) {
        const difference = toDifference(deps, file, state);
        if (difference !== undefined) yield difference;
      }
      done += files.length;
      progress(done, total);
    }
  }
}

/** Every document has the bytes that it was made of. */
export const makeStoredFiles = (deps: FileCheckDeps): Check => ({
  name: 'stored-files',
  find: (db, progress) => find(deps, db, progress),
});
