import { constants } from 'node:fs';
import { access, type FileHandle, mkdir, open, readlink } from 'node:fs/promises';
import { systemCode } from './system-code.ts';
import type { FsPath } from './watched-file.ts';

const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK;

/** A file system that keeps folders safe by itself, or not at all. */
const CANNOT_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** A folder held open: names in it mean this folder to the end, even if its path is swapped for a link meanwhile. Linux only. */
export class HeldFolder implements AsyncDisposable {
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** The folder at a path, wherever its links lead. Throws system errors. */
  static async open(path: FsPath): Promise<HeldFolder> {
    return new HeldFolder(await open(path, FLAGS));
  }

  /** The folder of that name in this one. Throws system errors: ENOENT, and ENOTDIR or ELOOP for a file or a link. */
  async openChild(name: Buffer): Promise<HeldFolder> {
    return new HeldFolder(await open(this.pathOf(name), FLAGS | constants.O_NOFOLLOW));
  }

  /** Makes that folder if nothing has the name, for good; says whether it did. */
  async makeChild(name: Buffer, mode = 0o777): Promise<boolean> {
    try {
      await mkdir(this.pathOf(name), { mode });
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false;
      throw error;
    }
    await this.sync();
    return true;
  }

  /** A path by which the file system finds a name in this very folder. */
  pathOf(name: Buffer): Buffer {
    return Buffer.concat([Buffer.from(`${this.path}/`), name]);
  }

  get path(): string {
    return `/proc/self/fd/${this.#handle.fd}`;
  }

  /** Whether the folder is `realRoot` or lies below it, as the file system itself says. */
  async isWithin(realRoot: string): Promise<boolean> {
    const realPath = Buffer.concat([await readlink(this.path, { encoding: 'buffer' }), Buffer.from('/')]);
    const root = Buffer.from(realRoot.endsWith('/') ? realRoot : `${realRoot}/`);
    return realPath.subarray(0, root.length).equals(root);
  }

  /** Throws a system error unless this process may rename and remove what is in the folder. */
  async checkWritable(): Promise<void> {
    await access(this.path, constants.W_OK | constants.X_OK);
  }

  /** Makes the names in the folder survive a power cut. */
  async sync(): Promise<void> {
    try {
      await this.#handle.sync();
    } catch (error) {
      if (!CANNOT_SYNC.has(systemCode(error) ?? '')) throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#handle.close();
  }
}
