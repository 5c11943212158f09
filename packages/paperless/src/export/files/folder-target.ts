import { constants, createReadStream } from 'node:fs';
import { appendFile, type FileHandle, lstat, mkdir, open, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { errorCode } from '@sheaf/contract';
import { NameSet } from './file-names.ts';
import { ChecksumMeter, type ExportTarget, type FileChecksums, type FileSource, MANIFEST, type OwnFile, TargetError } from './target.ts';

/** Where a file is written before it has its name: one at a time. */
const PARTIAL = '.sheaf-export-file.partial';
const MANIFEST_PARTIAL = `${MANIFEST}.partial`;
const READ_BYTES = 256 * 1024;
const BUFFERED_CHARACTERS = 1024 * 1024;

const ifThere = async <T>(asking: Promise<T>): Promise<T | undefined> => {
  try {
    return await asking;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

const syncFolder = async (path: string): Promise<void> => {
  await using handle = await open(path, 'r');
  await handle.sync();
};

/** Not by `recursive`: that tries for ever where a parent is there and the system says that it is not, as below /proc. */
const makeWithParents = async (path: string): Promise<void> => {
  try {
    await mkdir(path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeWithParents(dirname(path));
    await mkdir(path);
  }
};

/** Throws TargetError where the folder is none, or holds what no export wrote. */
const prepare = async (path: string, written: WrittenFiles, isIncremental: boolean): Promise<void> => {
  await makeWithParents(path);
  if (!(await lstat(join(path, '.')).catch(() => undefined))?.isDirectory()) throw new TargetError('target_not_folder', path);
  if ((await readdir(path)).length === 0) return;
  if (!isIncremental || !(await written.isThere())) throw new TargetError('target_not_empty', path);
};

export interface FolderOptions {
  /** Whether an earlier export may be there, whose files are kept where they are right. */
  readonly isIncremental: boolean;
}

/**
 * An export in a folder. A manifest that is there stays right while files are only added, and goes before the first one changes:
 * whenever this ends, the folder holds a whole export or none.
 */
export class FolderTarget implements ExportTarget {
  readonly path: string;
  readonly #written: WrittenFiles;
  readonly #manifest: FileHandle;
  readonly #current = new NameSet();
  readonly #folders = new Set<string>();
  #pending = '';

  private constructor(path: string, written: WrittenFiles, manifest: FileHandle) {
    this.path = path;
    this.#written = written;
    this.#manifest = manifest;
  }

  /** Throws TargetError. */
  static async open(path: string, { isIncremental }: FolderOptions): Promise<FolderTarget> {
    const written = new WrittenFiles(join(path, WrittenFiles.fileName));
    await prepare(path, written, isIncremental);
    await written.add(''); // from now on it is known whose folder this is
    const manifest = await open(join(path, MANIFEST_PARTIAL), 'w');
    return new FolderTarget(path, written, manifest);
  }

  async write(name: string, source: FileSource): Promise<{ readonly checksums: FileChecksums; readonly isNew: boolean }> {
    const path = join(this.path, name);
    await this.#makeFolders(name);
    const there = await this.#checksumsOf(path, source);
    if (there?.sha256 === source.sha256) {
      this.#current.add(name);
      return { checksums: there, isNew: false };
    }
    await this.#written.add(name);
    const checksums = await this.#copy(source);
    if ((await ifThere(lstat(path))) !== undefined) await this.#withdrawManifest();
    await rename(join(this.path, PARTIAL), path);
    this.#current.add(name);
    return { checksums, isNew: true };
  }

  async appendManifest(text: string): Promise<void> {
    this.#pending += text;
    if (this.#pending.length > BUFFERED_CHARACTERS) await this.#flush();
  }

  async finish(files: readonly OwnFile[]): Promise<{ readonly removed: number }> {
    await this.#flush();
    await this.#manifest.sync();
    for (const folder of this.#folders) await syncFolder(folder);
    for (const file of files) await this.#writeOwn(file);
    await rename(join(this.path, MANIFEST_PARTIAL), join(this.path, MANIFEST));
    await syncFolder(this.path);
    return { removed: await this.#removeOthers() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#manifest.close();
    await rm(join(this.path, MANIFEST_PARTIAL), { force: true });
    await rm(join(this.path, PARTIAL), { force: true });
  }

  async #flush(): Promise<void> {
    const text = this.#pending;
    this.#pending = '';
    await this.#manifest.appendFile(text);
  }

  /** Its folders are made one by one: one that is a link leads out of the target. */
  async #makeFolders(name: string): Promise<void> {
    const parts = name.split('/').slice(0, -1);
    let path = this.path;
    for (const part of parts) {
      path = join(path, part);
      if (this.#folders.has(path)) continue;
      await mkdir(path).catch((error: unknown) => {
        if (errorCode(error) !== 'EEXIST') throw error;
      });
      if (!(await lstat(path)).isDirectory()) throw new TargetError('target_unsafe', path);
      this.#folders.add(path);
    }
  }

  /** Of the file that is there, if it is one and may be the right one. */
  async #checksumsOf(path: string, { sizeBytes }: FileSource): Promise<FileChecksums | undefined> {
    const stats = await ifThere(lstat(path));
    if (stats?.isFile() !== true || stats.size !== sizeBytes) return undefined;
    const meter = new ChecksumMeter();
    await using handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    for await (const piece of handle.createReadStream({ autoClose: false, highWaterMark: READ_BYTES })) meter.add(piece as Buffer);
    return meter.end();
  }

  async #copy(source: FileSource): Promise<FileChecksums> {
    const partial = join(this.path, PARTIAL);
    const meter = new ChecksumMeter();
    await rm(partial, { force: true });
    await using handle = await open(partial, 'wx');
    const stream = await source.open();
    try {
      for await (const piece of meter.through(stream as AsyncIterable<Buffer>)) await handle.writeFile(piece);
    } finally {
      stream.destroy();
    }
    const checksums = meter.endAs(source);
    await handle.utimes(source.modifiedAt, source.modifiedAt);
    await handle.datasync();
    return checksums;
  }

  /** A file is about to change that the manifest of an earlier export may name. */
  async #withdrawManifest(): Promise<void> {
    await rm(join(this.path, MANIFEST), { force: true });
  }

  async #writeOwn({ name, content }: OwnFile): Promise<void> {
    const partial = join(this.path, PARTIAL);
    await rm(partial, { force: true });
    {
      await using handle = await open(partial, 'wx');
      await handle.writeFile(content);
      await handle.sync();
    }
    await rename(partial, join(this.path, name));
  }

  /** Removes the files that earlier exports wrote and this one has not. */
  async #removeOthers(): Promise<number> {
    let removed = 0;
    const seen = new NameSet();
    await this.#written.retain(async (name) => {
      if (seen.has(name)) return false;
      seen.add(name);
      if (this.#current.has(name)) return true;
      if (await this.#remove(name)) removed += 1;
      return false;
    });
    return removed;
  }

  async #remove(name: string): Promise<boolean> {
    if (name.split('/').some((part) => part === '' || part === '.' || part === '..')) return false; // somebody edited the list
    const path = join(this.path, name);
    try {
      for (let folder = dirname(path); folder !== this.path; folder = dirname(folder))
        if (!(await lstat(folder)).isDirectory()) return false;
      await unlink(path);
      for (let folder = dirname(path); folder !== this.path; folder = dirname(folder)) await rmdir(folder);
      return true;
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) return true;
      if (['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM'].includes(errorCode(error) ?? '')) return false;
      throw error;
    }
  }
}

/**
 * The names of the files that exports wrote into a folder, one a line: a name is here before the file is, so that a later export can
 * tell what it may remove, also after a kill.
 */
class WrittenFiles {
  static readonly fileName = '.sheaf-export';

  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async isThere(): Promise<boolean> {
    try {
      await using handle = await open(this.#path, 'r');
      return (await handle.stat()).isFile();
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }

  async add(name: string): Promise<void> {
    await appendFile(this.#path, `${name}\n`);
  }

  /** Goes through all names; those that `keep` returns true for stay, each once. */
  async retain(keep: (name: string) => Promise<boolean>): Promise<void> {
    const next = `${this.#path}.partial`;
    {
      await using handle = await open(next, 'w');
      const lines = createInterface({ input: createReadStream(this.#path), crlfDelay: Number.POSITIVE_INFINITY });
      for await (const line of lines) if (line !== '' && (await keep(line))) await handle.appendFile(`${line}\n`);
      await handle.sync();
    }
    await rename(next, this.#path);
  }
}
