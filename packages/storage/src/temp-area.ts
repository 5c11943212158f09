import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { uuidv7 } from '@sheaf/runtime';
import { systemCode, withStorageErrors } from './errors.ts';

/** A path for a file that is removed, if it was made, at the end of its scope. */
export interface TempFile extends AsyncDisposable {
  readonly path: string;
}

/** A folder of files and folders that nobody misses. */
export class TempArea {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Makes the area and a name in it; the file itself is the caller's to write. */
  async makeFile(): Promise<TempFile> {
    await withStorageErrors(this.path, () => mkdir(this.path, { recursive: true }));
    const path = join(this.path, uuidv7());
    return { path, [Symbol.asyncDispose]: () => rm(path, { force: true }) };
  }

  /** Removes what was last written before `before`: left behind by processes that were killed. Returns how many. */
  async sweep(before: Date): Promise<number> {
    let removed = 0;
    for (const name of await this.#names()) {
      const path = join(this.path, name);
      const found = await stat(path).catch(() => undefined); // its owner may remove it at the same moment
      if (found === undefined || found.mtime >= before) continue;
      await rm(path, { recursive: true, force: true });
      removed += 1;
    }
    return removed;
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.path);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
  }
}
