import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { lstat, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EXCHANGE_FOLDER_MODE, makeFolder } from '@sheaf/process/machine';
import { type FsPath, HeldFolder, systemCode } from '@sheaf/storage/folders';
import { MoveFailure } from './source.ts';

/** What file systems bear. */
const MAX_NAME_BYTES = 255;
/** A longer one is no extension but a name with a dot in it. */
const MAX_EXTENSION_BYTES = 32;

const DOT = 0x2e;

/**
 * The name with a number before its extension: `scan-1.pdf`; 0 adds none. What would be too long loses the end of its stem,
 * between two characters.
 */
export const numberedName = (name: Buffer, number: number): Buffer => {
  const dot = name.lastIndexOf(DOT);
  const end = dot > 0 && name.length - dot <= MAX_EXTENSION_BYTES ? dot : name.length;
  const tail = Buffer.concat([Buffer.from(number === 0 ? '' : `-${number}`), name.subarray(end)]);
  return Buffer.concat([cut(name.subarray(0, end), MAX_NAME_BYTES - tail.length), tail]);
};

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

const cut = (stem: Buffer, maxBytes: number): Buffer => {
  if (stem.length <= maxBytes) return stem;
  let end = maxBytes;
  while (end > 1 && isContinuation(stem[end])) end -= 1;
  return stem.subarray(0, end);
};

/** A file that had a name before it could be reserved. */
export interface TakenName {
  readonly name: Buffer;
  readonly stats: BigIntStats;
}

const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** Only reservations are empty files of this mode: no empty file is ever imported. */
const MODE = 0o600;

/** The reservations that are in use, so that none is taken for one that a killed process left behind. */
const inUse = new Set<string>();
const keyOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** A name that nothing had, held by an empty file until something is renamed onto it; released at the end of the scope. */
export class Reservation implements AsyncDisposable {
  readonly folder: HeldFolder;
  readonly name: Buffer;
  /** The files whose names were wished for before. */
  readonly taken: readonly TakenName[];
  readonly #stats: BigIntStats;
  #isFilled = false;

  private constructor(folder: HeldFolder, { name, stats }: TakenName, taken: readonly TakenName[]) {
    this.folder = folder;
    this.name = name;
    this.#stats = stats;
    this.taken = taken;
  }

  /**
   * Reserves the wished name, or the first free one with a number. `reuses` allows for an empty file that a killed process left.
   * Throws system errors.
   */
  static make(folder: HeldFolder, wanted: Buffer, reuses: boolean): Reservation {
    const taken: TakenName[] = [];
    for (let number = 0; ; number += 1) {
      const name = numberedName(wanted, number);
      const stats = create(folder.pathOf(name)) ?? (reuses ? adopt(folder.pathOf(name)) : undefined);
      if (stats !== undefined) return new Reservation(folder, { name, stats }, taken);
      const found = lstatSync(folder.pathOf(name), { bigint: true, throwIfNoEntry: false });
      if (found !== undefined) taken.push({ name, stats: found });
    }
  }

  get path(): Buffer {
    return this.folder.pathOf(this.name);
  }

  /** Renames what is at `path` onto the name. Throws system errors, and MoveFailure if someone else took the name away. */
  async fill(path: FsPath): Promise<void> {
    if (!(await this.#isOurs())) throw new MoveFailure('another program writes to the folder of processed files');
    await rename(path, this.path);
    this.#isFilled = true;
  }

  /** Gives the name back, unless it was filled. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (!this.#isFilled && (await this.#isOurs())) await unlink(this.path);
    } catch {
      // It stays as an empty file, which the next move of the file takes over.
    } finally {
      inUse.delete(keyOf(this.#stats));
    }
  }

  async #isOurs(): Promise<boolean> {
    const found = await lookAt(this.path);
    return found !== undefined && found.ino === this.#stats.ino && found.isFile() && found.size === 0n;
  }
}

// Both without a pause between looking and remembering, in which another move could take the same name.
const create = (path: Buffer): BigIntStats | undefined => {
  let descriptor: number;
  try {
    descriptor = openSync(path, FLAGS, MODE);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return undefined;
    throw error;
  }
  try {
    return use(fstatSync(descriptor, { bigint: true }));
  } finally {
    closeSync(descriptor);
  }
};

const adopt = (path: Buffer): BigIntStats | undefined => {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats !== undefined && isLeftBehind(stats) ? use(stats) : undefined;
};

const use = (stats: BigIntStats): BigIntStats => {
  inUse.add(keyOf(stats));
  return stats;
};

const isLeftBehind = (stats: BigIntStats): boolean =>
  stats.isFile() &&
  stats.size === 0n &&
  stats.nlink === 1n &&
  (stats.mode & 0o777n) === BigInt(MODE) &&
  stats.uid === BigInt(process.geteuid?.() ?? -1) &&
  !inUse.has(keyOf(stats));

/** What has the name now, whatever it is, without following it if it is a link; undefined when nothing has. */
export const lookAt = async (path: FsPath): Promise<BigIntStats | undefined> => {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** Whether both are the one file with the same content, as far as a look tells. Renaming it changes none of this. */
export const isSameFileAndBytes = (a: BigIntStats, b: BigIntStats | undefined): boolean =>
  b !== undefined && a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;

/** A folder below the processed folder, with the names that lead to it. */
export interface TargetFolder extends AsyncDisposable {
  readonly folder: HeldFolder;
  readonly names: readonly Buffer[];
}

/**
 * The folder that these names lead to below `base`, made where it is absent. Where a file or a link has one of the names, the
 * folder gets a number. Throws system errors.
 */
export const openTargetFolder = async (base: string, names: readonly Buffer[]): Promise<TargetFolder> => {
  let folder = await openBase(base);
  const actual: Buffer[] = [];
  try {
    for (const name of names) {
      const child = await openNumbered(folder, name);
      await folder[Symbol.asyncDispose]();
      folder = child.folder;
      actual.push(child.name);
    }
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
  return { folder, names: actual, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
};

const openBase = async (base: string): Promise<HeldFolder> => {
  const first = await makeFolder(base, { mode: EXCHANGE_FOLDER_MODE });
  if (first !== undefined) for (let made = base; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
  return HeldFolder.open(base);
};

const syncFolder = async (path: string): Promise<void> => {
  await using folder = await HeldFolder.open(path);
  await folder.sync();
};

const openNumbered = async (parent: HeldFolder, wanted: Buffer): Promise<{ folder: HeldFolder; name: Buffer }> => {
  for (let number = 0; ; number += 1) {
    const name = numberedName(wanted, number);
    const folder = await openOrMake(parent, name);
    if (folder !== undefined) return { folder, name };
  }
};

/** Undefined when the name belongs to something that is no folder. */
const openOrMake = async (parent: HeldFolder, name: Buffer): Promise<HeldFolder | undefined> => {
  try {
    await parent.makeChild(name);
    return await parent.openChild(name);
  } catch (error) {
    if (['ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
};
