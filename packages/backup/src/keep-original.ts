import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { AppError } from '@sheaf/contract';
import { documentKey, type Storage } from '@sheaf/storage';
import type { EarlierCopies } from './earlier-copies.ts';
import { fileName } from './entry-layout.ts';
import type { EntryWriter } from './entry-writer.ts';
import type { MissingFile } from './manifest.ts';
import type { Original } from './originals.ts';
import { measureFile, ReadFailed, tryLink, writeMeasured } from './place-file.ts';

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
