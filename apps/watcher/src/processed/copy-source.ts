import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type HeldFolder, systemCode } from '@sheaf/storage/folders';
import { explaining, type Source } from './source.ts';
import type { TakenName } from './target-folder.ts';

const CHUNK_BYTES = 256 * 1024;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Time, mode and owner of a file are kept where the file system has such a thing and this process may set it. */
const CANNOT_KEEP = new Set(['EPERM', 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EOVERFLOW']);

/** A copy that is removed at the end of its scope, if it still has this name then. */
export interface Copy extends AsyncDisposable {
  readonly path: Buffer;
  readonly sha256: string;
}

/** Copies the open file to `path`, for good, with its time of modification. What a killed copy left there is removed. Throws MoveFailure. */
export const copySource = async (source: Source, path: Buffer, atBytes: () => void | Promise<void>): Promise<Copy> => {
  const remove = () => explaining('processed', () => removeIfThere(path));
  await remove();
  try {
    const target = await explaining('processed', () => open(path, CREATE, 0o600));
    try {
      const hash = createHash('sha256');
      await copyBytes(source.handle, target, hash, atBytes);
      await explaining('processed', () => keepAttributes(source, target));
      await explaining('processed', () => target.sync());
      return { path, sha256: hash.digest('hex'), [Symbol.asyncDispose]: remove };
    } finally {
      await target.close();
    }
  } catch (error) {
    await remove();
    throw error;
  }
};

const copyBytes = async (source: FileHandle, target: FileHandle, hash: Hash, atBytes: () => void | Promise<void>): Promise<void> => {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ; ) {
    const { bytesRead } = await explaining('watch', () => source.read(chunk, 0, CHUNK_BYTES, position));
    if (bytesRead === 0) return;
    const bytes = chunk.subarray(0, bytesRead);
    hash.update(bytes);
    await explaining('processed', () => target.writeFile(bytes));
    position += bytesRead;
    await atBytes();
  }
};

const keepAttributes = async ({ stats }: Source, target: FileHandle): Promise<void> => {
  await keep(() => target.chown(Number(stats.uid), Number(stats.gid)));
  await keep(() => target.chmod(Number(stats.mode & 0o777n)));
  await keep(() => target.utimes(toTime(stats.atimeNs), toTime(stats.mtimeNs)));
};

/** In seconds, which keep fractions of a microsecond; Node takes a negative number for the present, but not a date before 1970. */
const toTime = (ns: bigint): number | Date => (ns < 0n ? new Date(Number(ns / 1_000_000n)) : Number(ns) / 1e9);

const keep = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!CANNOT_KEEP.has(systemCode(error) ?? '')) throw error;
  }
};

const removeIfThere = async (path: Buffer): Promise<void> => {
  try {
    await unlink(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
};

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

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
