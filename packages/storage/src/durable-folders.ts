import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes what was written about `path` (a file's bytes, a folder's names) survive a power cut. */
export const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Makes folders below `root` that survive a power cut, and remembers which ones already do. */
export class DurableFolders {
  readonly #root: string;
  readonly #safe = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** `folder` with all its parents up to the root; the names inside `folder` itself are the caller's to sync. */
  async make(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    if (this.#safe.has(folder)) return;
    // Another process may have made a parent and died before it could sync it: so each level, not only the new ones.
    for (let current = folder; current !== this.#root && current.startsWith(this.#root); current = dirname(current))
      await syncPath(dirname(current));
    this.#safe.add(folder);
  }
}
