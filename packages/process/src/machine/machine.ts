import { mkdir, open, readFile, rm, rmdir, stat, statfs } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname } from 'node:path';

/**
 * Of what holds people's papers: its owner's, and readable for their group, for programs that copy it. The umask may take away more, but nothing
 * is ever open to everybody on the machine.
 */
export const FILE_MODE = 0o640;
export const FOLDER_MODE = 0o750;

/** Of folders that people exchange files through: how open these are is for the umask to say. */
export const EXCHANGE_FOLDER_MODE = 0o777;

export interface FolderMode {
  /** Of each folder that is made. */
  readonly mode: number;
}

const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() === true;

const hasNoParent = (error: unknown, path: string): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path;

/** Returns whether it was not there. */
const makeOne = async (path: string, options: FolderMode): Promise<boolean> => {
  try {
    await mkdir(path, options);
    return true;
  } catch (error) {
    if (await isFolder(path)) return false;
    throw error;
  }
};

/**
 * Makes a folder with all its parents, and returns the first that it made; undefined where the folder was there already. In place
 * of `mkdir` with `recursive`: that tries for ever where a parent is there and the system says that it is not, as below /proc.
 */
export const makeFolder = async (path: string, options: FolderMode = { mode: FOLDER_MODE }): Promise<string | undefined> => {
  try {
    return (await makeOne(path, options)) ? path : undefined;
  } catch (error) {
    if (!hasNoParent(error, path)) throw error;
  }
  const first = await makeFolder(dirname(path), options);
  const isNew = await makeOne(path, options); // where there still is no parent, there never will be
  return first ?? (isNew ? path : undefined);
};

/** Removes a folder with all that is in it, where there is one; mostly nothing is. A program that is just being ended may still write into it. */
export const removeFolder = async (path: string): Promise<void> => {
  try {
    await rmdir(path);
  } catch {
    await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
};

/** The folder `path`, or the nearest one above it that is there: where it would be made. A file is named as it is. */
export const nearestFolder = async (path: string): Promise<string> => {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  const above = dirname(path);
  return isThere || above === path ? path : nearestFolder(above);
};

/** Makes what was written about `path` (a file's bytes, a folder's names) survive a power cut. */
export const syncPath = async (path: string): Promise<void> => {
  await using handle = await open(path, 'r');
  await handle.sync();
};

/** Shares are 0 to 1. */
export type Share = number;

interface CpuTimes {
  readonly busy: number;
  readonly all: number;
}

const readCpuTimes = (): CpuTimes => {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const total = times.user + times.nice + times.sys + times.idle + times.irq;
    all += total;
    busy += total - times.idle;
  }
  return { busy, all };
};

/** How busy all cores of the machine were since the last look. */
export class CpuMeter {
  #last = readCpuTimes();

  look(): Share {
    const now = readCpuTimes();
    const { busy, all } = { busy: now.busy - this.#last.busy, all: now.all - this.#last.all };
    this.#last = now;
    return all === 0 ? 0 : busy / all;
  }
}

const readNumber = async (path: string): Promise<number | undefined> => {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  const number = text === undefined ? Number.NaN : Number(text.trim());
  return Number.isFinite(number) ? number : undefined;
};

/** The part of a container's memory that is in use; undefined where no limit is set. Files it has merely read do not count. */
const readContainerShare = async (folder: string): Promise<Share | undefined> => {
  const [limit, used] = await Promise.all([readNumber(`${folder}/memory.max`), readNumber(`${folder}/memory.current`)]);
  if (limit === undefined || used === undefined || limit <= 0) return undefined;
  const facts = await readFile(`${folder}/memory.stat`, 'utf8').catch(() => '');
  const cached = Number(/^inactive_file (\d+)$/m.exec(facts)?.[1] ?? 0);
  return (used - cached) / limit;
};

const readMachineShare = async (path: string): Promise<Share | undefined> => {
  const text = await readFile(path, 'utf8').catch(() => '');
  const valueOf = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? Number.NaN);
  const share = 1 - valueOf('MemAvailable') / valueOf('MemTotal');
  return Number.isNaN(share) ? undefined : share;
};

export interface MemoryPlaces {
  readonly meminfo: string;
  readonly cgroup: string;
}

const MEMORY_PLACES: MemoryPlaces = { meminfo: '/proc/meminfo', cgroup: '/sys/fs/cgroup' };

/** The part of the memory that is in use: of the machine, or of the container where that is nearer to its limit. */
export const readMemoryShare = async ({ meminfo, cgroup }: MemoryPlaces = MEMORY_PLACES): Promise<Share | undefined> => {
  const shares = await Promise.all([readMachineShare(meminfo), readContainerShare(cgroup)]);
  const known = shares.filter((share) => share !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
};

export interface DiskUse {
  /** The first of `folders`. */
  readonly path: string;
  /** Those of the folders asked about that lie on it. */
  readonly folders: readonly string[];
  readonly share: Share;
  /** Without what is kept for root. */
  readonly sizeBytes: number;
  readonly freeBytes: number;
}

/** How full the disks are that these folders lie on, each disk once. Of a disk that does not answer nothing is said. */
export const readDisks = async (paths: readonly string[]): Promise<DiskUse[]> => {
  const foldersByDisk = new Map<number, string[]>();
  for (const path of paths) {
    const disk = (await stat(path).catch(() => undefined))?.dev;
    if (disk !== undefined) foldersByDisk.set(disk, [...(foldersByDisk.get(disk) ?? []), path]);
  }
  const disks = await Promise.all([...foldersByDisk.values()].map(readDisk));
  return disks.filter((disk) => disk !== undefined);
};

/** A server writes its log in pieces of 16 MB, and removes one that it could not write whole. */
const DATABASE_NEEDS_BYTES = 32 * 1024 * 1024;

/** Whether the disk of a data directory has no room for what its server writes. False where it cannot be asked, or there is no such folder. */
export const isDatabaseDiskFull = async (path: string): Promise<boolean> => {
  const facts = await statfs(path).catch(() => undefined);
  return facts !== undefined && (facts.bavail * facts.bsize < DATABASE_NEEDS_BYTES || (facts.files > 0 && facts.ffree === 0));
};

const readDisk = async (folders: readonly string[]): Promise<DiskUse | undefined> => {
  const path = folders[0] ?? '';
  const facts = await statfs(path).catch(() => undefined); // unplugged, or a server that is away
  if (facts === undefined) return undefined;
  const { blocks, bfree, bavail, bsize } = facts;
  // as `df` counts: what is kept for root is neither used nor free
  const used = blocks - bfree;
  const all = used + bavail;
  return all > 0 ? { path, folders, share: used / all, sizeBytes: all * bsize, freeBytes: bavail * bsize } : undefined;
};
