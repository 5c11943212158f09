import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = 'sheaf-tests-';

/** What the name of a cluster's folder begins with: it tells whose it is. */
export const clusterPrefix = (runner = process.pid): string => `${NAME}${runner}-`;

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // another user's
  }
};

/** Removes from `parent` what runs left behind that were killed: some hundred MB each, of memory where it lies there. */
export const removeLeftClusters = async (parent: string): Promise<void> => {
  for (const name of await readdir(parent).catch(() => [])) {
    const [, pid] = new RegExp(`^${NAME}(\\d+)-`).exec(name) ?? [];
    // who may not remove it leaves it to its owner
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
};
