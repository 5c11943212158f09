import { access, mkdir, mkdtemp, readdir, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '@sheaf/contract';
import { uuidv7 } from '@sheaf/process';
import { FOLDER_MODE, makeFolder, removeFolder } from '@sheaf/process/machine';
import { notMakeable, vanished, withStorageErrors } from './errors.ts';

/** A path of a file or folder that is removed, if it was made, at the end of its scope. */
export interface TempFile extends AsyncDisposable {
  readonly path: string;
}

/** Makes an area the mark of the folder around it. */
export interface Mark {
  /** Asked before the area is made for the first time: whether that folder may be a new one. */
  readonly mayBeNew: () => Promise<boolean>;
}

/**
 * A folder of files and folders that nobody misses. It is made with all its parents, once: later only itself, and where it is a
 * mark not even that, as its absence tells that the folder around it is another one.
 */
export class TempArea {
  readonly path: string;
  readonly #mark: Mark | undefined;
  #wasMade = false;

  constructor(path: string, mark?: Mark) {
    this.path = path;
    this.#mark = mark;
  }

  /** Makes the area. Throws SERVICE_UNAVAILABLE where it cannot be made, or the folder that it was in has vanished. */
  async make(): Promise<void> {
    await withStorageErrors(this.path, async () => {
      if (this.#wasMade) await this.#makeAgain();
      else await this.#makeFirst();
    });
    this.#wasMade = true;
  }

  async #makeFirst(): Promise<void> {
    if (this.#mark !== undefined && !(await exists(this.path)) && !(await this.#mark.mayBeNew())) throw vanished(dirname(this.path));
    try {
      await makeFolder(this.path);
    } catch (error) {
      throw errorCode(error) === 'ENOENT' ? notMakeable(this.path, error) : error;
    }
  }

  async #makeAgain(): Promise<void> {
    try {
      await (this.#mark === undefined ? mkdir(this.path, FOLDER_MODE) : access(this.path));
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return;
      throw errorCode(error) === 'ENOENT' ? vanished(dirname(this.path), error) : error;
    }
  }

  /** Makes the area and a name in it; the file itself is the caller's to write. */
  async makeFile(): Promise<TempFile> {
    await this.make();
    const path = join(this.path, uuidv7());
    return { path, [Symbol.asyncDispose]: () => removeFile(path) };
  }

  /**
   * Makes a folder in the area, whose name begins with `label`: it is removed, with all that is in it, at the end of its scope. Throws
   * SERVICE_UNAVAILABLE where it cannot be made.
   */
  async makeScratch(label: string): Promise<TempFile> {
    const make = (): Promise<string> => withStorageErrors(this.path, () => mkdtemp(join(this.path, `${label}-`)));
    // the area is nearly always there
    const path = await make().catch(async () => {
      await this.make();
      return make();
    });
    return { path, [Symbol.asyncDispose]: () => removeFolder(path) };
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
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }
}

export const exists = async (path: string): Promise<boolean> => {
  try {
    await access(path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
};

/** `rm` looks at what it removes first, which is half of its cost. */
const removeFile = async (path: string): Promise<void> => {
  try {
    await unlink(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
};
