import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Beyond this the cache is dropped: tests that copy the tree leave entries of paths that never come back. */
const LIMIT_BYTES = 500 * 1024 ** 2;

const sizeOf = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile()).map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

/**
 * The folder of compiled code that all processes of a run share. Node keeps an entry only for the very source that it was made of,
 * and a folder for each of its versions, so nothing in it goes stale.
 */
export const openCodeCache = async (root: string): Promise<string> => {
  const folder = join(root, '.setup/test-code-cache');
  if ((await sizeOf(folder)) > LIMIT_BYTES) await rm(folder, { recursive: true, force: true });
  return folder;
};
