import { createReadStream } from 'node:fs';
import { link, lstat, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, errorCode } from '@sheaf/contract';
import { documentKey, type Storage } from '@sheaf/storage';
import type { EntryWriter } from './archive-writer.ts';
import { fileName, listEntries, listIncomplete, previewName } from './backup-list.ts';
import type { MissingFile } from './manifest.ts';
import { linesOf, type Measure, RunningMeasure } from './measure.ts';
import { openBackup } from './reader.ts';

/**
 * How a file came into the entry: as the same file as in the newest backup; from one that did not end; from the storage; or from an
 * older backup, because the storage has it no more.
 */
export type Origin = 'linked' | 'resumed' | 'copied' | 'rescued';

export type KeptOriginal =
  | { readonly kind: 'kept'; readonly origin: Origin; readonly sizeBytes: number }
  | { readonly kind: 'lost'; readonly reason: MissingFile['reason'] };

export interface KeepDeps {
  readonly storage: Storage;
  readonly writer: EntryWriter;
  readonly earlier: EarlierCopies;
  readonly signal: AbortSignal;
}

/** Puts an original into the entry, from the cheapest place that has it right. Throws where the storage or the entry cannot be used. */
export const keepOriginal = async (deps: KeepDeps, { sha256, sizeBytes }: Original): Promise<KeptOriginal> => {
  const { writer, earlier } = deps;
  const name = fileName(sha256);
  const path = await writer.pathFor(name);
  const taken = async (origin: Origin, bytes: number): Promise<KeptOriginal> => {
    await writer.take(name, { isSynced: origin === 'linked' });
    return { kind: 'kept', origin, sizeBytes: bytes };
  };
  const whole = await earlier.findWhole(name, sizeBytes);
  if (whole !== undefined && (await tryLink(whole, path))) return await taken('linked', sizeBytes);
  const near = [...(whole === undefined ? [] : [whole]), ...(await earlier.findBegun(name, sizeBytes))];
  if (await takeFirstRight(near, path, sha256, deps)) return await taken('resumed', sizeBytes);
  const copied = await copyOriginal(deps, sha256, path);
  if (typeof copied === 'number') return await taken('copied', copied);
  const rescued = await takeFirstRight(await earlier.findAll(name), path, sha256, deps);
  return rescued ? await taken('rescued', sizeBytes) : { kind: 'lost', reason: copied };
};

/** Gives `path` the bytes of the first of `sources` that has this hash; whether there was one. */
const takeFirstRight = async (sources: readonly string[], path: string, sha256: string, deps: KeepDeps): Promise<boolean> => {
  for (const source of sources) if (await takeIfRight(source, path, sha256, deps)) return true;
  return false;
};

const takeIfRight = async (source: string, path: string, sha256: string, { signal }: KeepDeps): Promise<boolean> => {
  try {
    const measure = (await tryLink(source, path)) ? await measureFile(path) : await writeMeasured(createReadStream(source), path, signal);
    if (measure.sha256 === sha256) return true;
  } catch (error) {
    if (!(error instanceof ReadFailed)) throw error; // an old copy that cannot be read is none
  }
  await rm(path, { force: true });
  return false;
};

/**
 * Copies the original from the storage: how many bytes it has, or why it is not to be had. Asks twice: it may have been moved to
 * another storage meanwhile, or the way to it was cut.
 */
const copyOriginal = async (deps: KeepDeps, sha256: string, path: string): Promise<number | MissingFile['reason']> => {
  const first = await copyOnce(deps, sha256, path);
  if (typeof first === 'number') return first;
  const second = await copyOnce(deps, sha256, path);
  if (typeof second === 'number') return second;
  // One file that cannot be read is a loss to be told. A storage that cannot be read would lose all of them.
  if (second.reason === 'unreadable' && (await deps.storage.check()).status === 'unhealthy') throw second.error;
  return second.reason;
};

interface Refused {
  readonly reason: MissingFile['reason'];
  readonly error: unknown;
}

const copyOnce = async ({ storage, signal }: KeepDeps, sha256: string, path: string): Promise<number | Refused> => {
  try {
    const { stream } = await openOriginal(storage, sha256);
    const measure = await writeMeasured(stream, path, signal);
    if (measure.sha256 === sha256) return measure.bytes;
    await rm(path);
    return { reason: 'changed', error: undefined };
  } catch (error) {
    if (!(error instanceof ReadFailed)) throw error;
    return { reason: reasonOf(error.cause), error: error.cause };
  }
};

const openOriginal = async (storage: Storage, sha256: string): Promise<Awaited<ReturnType<Storage['open']>>> => {
  try {
    return await storage.open(documentKey(sha256));
  } catch (error) {
    throw new ReadFailed('the file could not be opened', { cause: error });
  }
};

const reasonOf = (error: unknown): MissingFile['reason'] => {
  const code = error instanceof AppError ? error.code : undefined;
  if (code === 'FILE_MISSING') return 'missing';
  return code === 'FILE_DAMAGED' ? 'changed' : 'unreadable';
};

/** An original of the snapshot. */
export interface Original {
  readonly sha256: string;
  /** As its row says. */
  readonly sizeBytes: number;
  /** Whether it is a document of which a PDF rendition is made. */
  readonly hasPreview: boolean;
  readonly documentIds: readonly string[];
}

/** The originals of the list that `dumpDatabase` wrote. */
export const readOriginals = async function* (path: string): AsyncGenerator<Original> {
  for await (const line of linesOf(createReadStream(path))) {
    const [sha256 = '', size, isOffice, ids = ''] = line.split(' ');
    yield { sha256, sizeBytes: Number(size), hasPreview: isOffice === 't', documentIds: ids.split(',') };
  }
};

/** A file system that cannot link, or not from there. */
const CANNOT_LINK = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** That the bytes could not be read, other than that they could not be written. */
export class ReadFailed extends Error {
  override readonly name = 'ReadFailed';
}

const CHUNK_BYTES = 256 * 1024;

/** Writes what `source` gives to the new file `path`, and says what it was. A failure leaves no file; one of `source` is a ReadFailed. */
export const writeMeasured = async (source: AsyncIterable<Uint8Array>, path: string, signal: AbortSignal): Promise<Measure> => {
  const running = new RunningMeasure();
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of readOf(source)) {
      signal.throwIfAborted();
      running.add(chunk);
      await handle.writeFile(chunk); // goes on where the last one ended, and writes all of it
    }
  } catch (error) {
    await handle.close();
    await rm(path, { force: true });
    throw error;
  }
  await handle.close();
  return running.finish();
};

/** The chunks of `source`, whose failures are told from those of who uses them. */
const readOf = async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next().catch((error: unknown) => {
        throw new ReadFailed('the file could not be read', { cause: error });
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
};

/** What the file at `path` is. Throws ReadFailed. */
const measureFile = async (path: string): Promise<Measure> => {
  const running = new RunningMeasure();
  for await (const chunk of readOf(createReadStream(path, { highWaterMark: CHUNK_BYTES }))) running.add(chunk);
  return running.finish();
};

/** Makes `path` the same file as `source`. False where that file system cannot. */
export const tryLink = async (source: string, path: string): Promise<boolean> => {
  try {
    await link(source, path);
    return true;
  } catch (error) {
    if (CANNOT_LINK.has(errorCode(error) ?? '')) return false;
    throw error;
  }
};

/** Copies of files that earlier backups made. */
interface EarlierCopies {
  /** The file `name` of the newest whole backup, if it has it with this size: it was right when it was made. */
  findWhole(name: string, sizeBytes: number): Promise<string | undefined>;
  /** The preview of a document in the newest whole backup, if it has it with this size, and what it was when it was made. */
  findPreview(documentSha256: string, sizeBytes: number): Promise<{ readonly path: string; readonly measure: Measure } | undefined>;
  /** The file `name` in backups that did not end: of the right size, and else for the caller to look at. */
  findBegun(name: string, sizeBytes: number): Promise<string[]>;
  /** The file `name` in all whole backups, the newest first. */
  findAll(name: string): Promise<string[]>;
}

interface EarlierCopiesOptions {
  /** Those with backups; that of the new one first. */
  readonly folders: readonly string[];
  /** The newest whole backup is not believed: everything is to be read again. */
  readonly isFull: boolean;
}

export const openEarlierCopies = async ({ folders, isFull }: EarlierCopiesOptions): Promise<EarlierCopies> => {
  const entries = (await Promise.all(folders.map((folder) => listEntries(folder)))).flat().filter(({ isArchive }) => !isArchive);
  const begun = (await Promise.all(folders.map((folder) => listIncomplete(folder)))).flat();
  const newest = isFull ? undefined : entries[0]?.path;
  const previews = newest === undefined ? new Map<string, Measure>() : await readPreviews(newest);
  const findWhole = async (name: string, sizeBytes: number): Promise<string | undefined> =>
    newest === undefined ? undefined : (await filesOfSize([join(newest, name)], sizeBytes))[0];
  return {
    findWhole,
    findPreview: async (documentSha256, sizeBytes) => {
      const measure = previews.get(documentSha256);
      const path = measure?.bytes === sizeBytes ? await findWhole(previewName(documentSha256), sizeBytes) : undefined;
      return path === undefined || measure === undefined ? undefined : { path, measure };
    },
    findBegun: (name, sizeBytes) =>
      filesOfSize(
        begun.map((path) => join(path, name)),
        sizeBytes,
      ),
    findAll: (name) => filesOfSize(entries.map(({ path }) => join(path, name))),
  };
};

/** The previews of the backup, by the hash of their document; none where it cannot be read. */
const readPreviews = async (path: string): Promise<Map<string, Measure>> => {
  const previews = new Map<string, Measure>();
  try {
    await using backup = await openBackup(path);
    for await (const { documentSha256, sizeBytes, sha256 } of backup.listPreviews())
      previews.set(documentSha256, { bytes: sizeBytes, sha256 });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  return previews;
};

/** Those of `paths` that are files, of the size `sizeBytes` where one is given. */
const filesOfSize = async (paths: readonly string[], sizeBytes?: number): Promise<string[]> => {
  const found: string[] = [];
  for (const path of paths) {
    const file = await lstat(path).catch(() => undefined); // not there, or its folder is none: no copy in any case
    if (file?.isFile() === true && (sizeBytes === undefined || file.size === sizeBytes)) found.push(path);
  }
  return found;
};
