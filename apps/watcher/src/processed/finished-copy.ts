import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { HeldFolder } from '@sheaf/storage/folders';
import type { TakenName } from './reservation.ts';
import type { Source } from './source.ts';

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 256 * 1024;

/** Some file systems keep every second second. */
const COARSEST_TIME_NS = 2_000_000_000n;

/**
 * The name of a copy of the source that an earlier call had finished when it was killed: same size, time and bytes. It survives a
 * power cut from here on. Throws system errors.
 */
export const findFinishedCopy = async (
  folder: HeldFolder,
  taken: readonly TakenName[],
  source: Source,
  sha256: string,
): Promise<Buffer | undefined> => {
  for (const { name, stats } of taken) {
    const isAlike = stats.isFile() && stats.size === source.stats.size && distance(stats.mtimeNs, source.stats.mtimeNs) <= COARSEST_TIME_NS;
    if (!isAlike || !(await keepIfEqual(folder.pathOf(name), sha256))) continue;
    await folder.sync();
    return name;
  }
  return undefined;
};

const distance = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a);

/** Whether the file has these bytes; if so, they are on the disk now. */
const keepIfEqual = async (path: Buffer, sha256: string): Promise<boolean> => {
  const handle = await open(path, FLAGS);
  try {
    const hash = createHash('sha256');
    await pipeline(handle.createReadStream({ autoClose: false, highWaterMark: CHUNK_BYTES }), hash);
    if (hash.digest('hex') !== sha256) return false;
    await handle.sync();
    return true;
  } finally {
    await handle.close();
  }
};
