import { randomUUID } from 'node:crypto';
import { chmod, constants, copyFile, lchown, link, lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { parserUser } from './sandbox.ts';

const { COPYFILE_EXCL, COPYFILE_FICLONE } = constants;

/**
 * A folder that a sandboxed program may write to, and the one way for files into and out of it. Whatever lies in it may have been
 * put there by a stranger's document: nothing is opened or written below it by its path, as any name may have become a link.
 */
export class ExchangeFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Makes the folder; the folders above it have to be there. */
  static async open(path: string): Promise<ExchangeFolder> {
    await mkdir(path, { mode: 0o700 });
    await giveToParser(path);
    // bubblewrap enters it as the service's user, who has no rights over others' folders any more by then
    if (parserUser() !== undefined) await chmod(path, 0o711);
    return new ExchangeFolder(path);
  }

  /** Writes a file of ours below the folder. Only before a program runs in it. */
  async prepare(name: string, content: string, mode = 0o600): Promise<void> {
    let folder = this.path;
    for (const part of dirname(name)
      .split('/')
      .filter((step) => step !== '.')) {
      folder = join(folder, part);
      await mkdir(folder, { recursive: true });
      await giveToParser(folder);
    }
    const path = join(this.path, name);
    await writeFile(path, content, { flag: 'wx', mode });
    await giveToParser(path);
  }

  /** Where the program can read the file, not change it: at its own path, which has to be named in `access`, or in a copy. */
  async show(from: string, extension = ''): Promise<string> {
    return parserUser() === undefined ? from : this.give(from, extension);
  }

  /** Copies a file in and answers where the program finds it. The file itself stays out of the program's reach. */
  async give(from: string, extension = ''): Promise<string> {
    const path = this.#newPath(extension);
    await copyFile(from, path, COPYFILE_EXCL | COPYFILE_FICLONE);
    await giveToParser(path);
    return path;
  }

  /** The same without a copy, for a file of ours that is of no worth: the program could change it. */
  async lend(from: string, extension = ''): Promise<string> {
    const path = this.#newPath(extension);
    if (parserUser() !== undefined) await chmod(from, 0o644);
    try {
      await link(from, path);
    } catch (error) {
      if (!['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      return this.give(from, extension); // a file system without links
    }
    return path;
  }

  /** Where the program is to write; `take` fetches it. */
  outputPath(extension = ''): string {
    return this.#newPath(extension);
  }

  /** Moves what the program wrote to `to`, a path of ours on the same file system; false where it is no ordinary file. */
  async take(path: string, to: string): Promise<boolean> {
    try {
      await rename(path, to);
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
      throw error;
    }
    if ((await lstat(to)).isFile()) return true;
    await rm(to, { recursive: true, force: true });
    return false;
  }

  /** Removes one file or what has taken its name. */
  async remove(path: string): Promise<void> {
    await rm(path, { recursive: true, force: true });
  }

  /** Removes all that a program has written beside `path`, under names that begin like it. */
  async removeSiblings(path: string): Promise<void> {
    for (const name of await this.siblingNames(path)) await this.remove(join(this.path, name));
  }

  /** What a program has written beside `path`, under names that begin like it. */
  async siblingNames(path: string): Promise<readonly string[]> {
    const begins = basename(path, extname(path));
    return (await readdir(this.path)).filter((name) => name.startsWith(begins));
  }

  /** Removes the folder. Only when no program runs in it any more. */
  async dispose(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  #newPath(extension: string): string {
    return join(this.path, `${randomUUID()}${extension}`);
  }
}

const giveToParser = async (path: string): Promise<void> => {
  const user = parserUser();
  if (user !== undefined) await lchown(path, user.uid, user.gid);
};
