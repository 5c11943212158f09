import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder, syncPath } from '@sheaf/process/machine';

/** Writes a small file that survives a power cut; its folder is the caller's to sync. */
export const writeDurably = (path: string, bytes: Uint8Array): Promise<void> =>
  writeFile(path, bytes, { mode: 0o600, flag: 'wx', flush: true });

/** Gives what is at `path` its final name: after a power cut it has one of the two, and all of its bytes. */
export const renameDurably = async (path: string, target: string): Promise<void> => {
  await rename(path, target);
  await syncPath(dirname(target));
};

/** Makes folders, for the owner alone, and remembers which ones, so that in the end all their names can be synced at once. */
export class OwnFolders {
  readonly #root: string;
  readonly #made = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Makes the folder of the file `path` below the root. */
  async makeFor(path: string): Promise<void> {
    const folder = dirname(path);
    if (this.#made.has(folder)) return;
    await makeFolder(folder, { mode: 0o700 });
    for (let current = folder; current.startsWith(this.#root) && !this.#made.has(current); current = dirname(current))
      this.#made.add(current);
  }

  async sync(): Promise<void> {
    for (const folder of this.#made) await syncPath(folder);
  }
}
