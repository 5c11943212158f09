import { type FileHandle, readFile } from 'node:fs/promises';

/** A line such as `1: POSIX  ADVISORY  WRITE 4321 08:02:1234567 0 EOF`; one with `->` only waits for a lock. */
const WRITE_LOCK = /^\d+: (?:FLOCK|POSIX|OFDLCK) +\S+ +WRITE +-?\d+ +([0-9a-f]+):([0-9a-f]+):(\d+) /gm;

/**
 * Whether a process of this host holds a write lock (`flock`, `fcntl` or of an open file description) on the open file. False
 * where the kernel does not tell: such locks are advice, and stability is asked for all the same.
 */
export const isWriteLocked = async (handle: FileHandle): Promise<boolean> => {
  const locks = await readProc('/proc/locks');
  if (locks === '') return false;
  const { ino } = await handle.stat({ bigint: true });
  const devices = [...locks.matchAll(WRITE_LOCK)].flatMap(([, major = '', minor = '', inode = '']) =>
    inode === String(ino) ? [`${Number.parseInt(major, 16)}:${Number.parseInt(minor, 16)}`] : [],
  );
  return devices.length > 0 && devices.includes(await mountedDevice(handle));
};

/** Empty where the kernel or a sandbox does not give it. */
const readProc = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** The device as the list of locks names it; `stat` shows another one on some file systems, as for each subvolume of btrfs. */
const mountedDevice = async ({ fd }: FileHandle): Promise<string> => {
  const [facts, mounts] = await Promise.all([readProc(`/proc/self/fdinfo/${fd}`), readProc('/proc/self/mountinfo')]);
  const mount = /^mnt_id:\s*(\d+)$/m.exec(facts)?.[1];
  return mounts.match(new RegExp(`^${mount} \\d+ (\\d+:\\d+) `, 'm'))?.[1] ?? '';
};
