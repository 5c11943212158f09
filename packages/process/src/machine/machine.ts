import { readFile, stat, statfs } from 'node:fs/promises';
import { cpus } from 'node:os';

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
