import { AppError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import {
  countReferencedFiles,
  type FileOfDocuments,
  type FileState,
  listReferencedFiles,
  lookTwice,
  noteFileChecks,
  restoreFile,
} from '@sheaf/ingest/integrity';
import { systemClock } from '@sheaf/process';
import { documentKey } from '@sheaf/storage';
import type { Check, Difference, Progress } from './run-checks.ts';
import { eachByHash, type FileCheckDeps, subjectOf } from './thumbnails.ts';

/** Files that are read at the same time: enough to hide the way to a storage in the network. */
const AT_ONCE = 4;
const SECOND_LOOK_MS = 500;
/** A file that is as it should be is noted with others: each transaction costs more than to read a small file. */
const NOTED_TOGETHER = 100;
/** Not later than that, as the service looks at the same files. */
const NOTED_AFTER_MS = 1_000;

type Wrong = Exclude<FileState, 'ok'>;

const FINDINGS: Readonly<Record<Wrong, string>> = {
  missing: 'its stored file is missing',
  changed: 'its stored file is damaged: hash mismatch',
  unreadable: 'its stored file cannot be read',
};

/** A storage that works otherwise, and does not give this file: nothing was learnt of it. */
interface NotLooked {
  readonly reason: AppError;
}

/** `present`: there with its size, and not read. */
type Seen = FileState | 'present' | 'unreferenced' | NotLooked;

/** Every byte; or in a hurry presence and size, where nothing is known to be wrong. */
const look = async (deps: FileCheckDeps, { sha256, sizeBytes, finding }: FileOfDocuments): Promise<Seen> => {
  try {
    if (deps.isFast && finding === undefined) {
      const object = await deps.storage.stat(documentKey(sha256));
      if (object?.sizeBytes === sizeBytes) return 'present';
    }
    return await lookTwice(deps, sha256, { pauseMs: SECOND_LOOK_MS });
  } catch (error) {
    const isOfFile =
      error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE' && (await deps.storage.check()).status !== 'unhealthy';
    if (!isOfFile) throw error;
    return { reason: error };
  }
};

const toDifference = (deps: FileCheckDeps, { sha256, documentIds }: FileOfDocuments, seen: Seen): Difference | undefined => {
  if (seen === 'ok' || seen === 'present' || seen === 'unreferenced') return undefined;
  const subject = subjectOf(documentIds);
  if (typeof seen === 'object')
    return { subject, finding: `its stored file cannot be read: ${seen.reason.message}`, repair: () => Promise.reject(seen.reason) };
  const repair = async (): Promise<void> => {
    await restoreFile(deps, sha256);
    await noteFileChecks(deps, [{ sha256, finding: undefined, at: systemClock.now() }]);
  };
  return { subject, finding: FINDINGS[seen], repair };
};

interface SeenFile {
  readonly file: FileOfDocuments;
  readonly state: Seen;
  readonly at: Date;
}

const see = async (deps: FileCheckDeps, file: FileOfDocuments): Promise<SeenFile> => {
  const state = await look(deps, file);
  return { file, state, at: systemClock.now() };
};

const isWrong = (state: Seen): state is Wrong => state === 'missing' || state === 'changed' || state === 'unreadable';

/** What was seen of files that were read, noted when it is much, a while ago, or something is wrong. */
class Notes {
  readonly #deps: FileCheckDeps;
  #seen: SeenFile[] = [];
  #notedAt = performance.now();

  constructor(deps: FileCheckDeps) {
    this.#deps = deps;
  }

  async add(seen: readonly SeenFile[]): Promise<void> {
    this.#seen.push(...seen.filter(({ state }) => state === 'ok' || isWrong(state)));
    const isDue = this.#seen.length >= NOTED_TOGETHER || performance.now() - this.#notedAt >= NOTED_AFTER_MS;
    if (isDue || seen.some(({ state }) => isWrong(state))) await this.write();
  }

  async write(): Promise<void> {
    const checked = this.#seen.map(({ file: { sha256 }, state, at }) => ({ sha256, finding: isWrong(state) ? state : undefined, at }));
    this.#seen = [];
    if (checked.length > 0) await noteFileChecks(this.#deps, checked);
    this.#notedAt = performance.now();
  }
}

async function* find(deps: FileCheckDeps, db: Db, progress: Progress): AsyncGenerator<Difference> {
  const total = await countReferencedFiles(db);
  const notes = new Notes(deps);
  let done = 0;
  for await (const page of eachByHash(db, listReferencedFiles)) {
    for (let at = 0; at < page.length; at += AT_ONCE) {
      const files = page.slice(at, at + AT_ONCE);
      const seen = await Promise.all(files.map((file) => see(deps, file)));
      await notes.add(seen);
      for (const { file, state } of seen) {
        const difference = toDifference(deps, file, state);
        if (difference !== undefined) yield difference;
      }
      done += files.length;
      progress(done, total);
    }
  }
  await notes.write();
}

/** Every document has the bytes that it was made of. */
export const makeStoredFiles = (deps: FileCheckDeps): Check => ({
  name: 'stored-files',
  find: (db, progress) => find(deps, db, progress),
});
