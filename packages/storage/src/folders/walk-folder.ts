import { isUtf8 } from 'node:buffer';
import { constants, type Dirent, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, mkdir, open, opendir, readlink } from 'node:fs/promises';
import { type FsPath, factsOf, sortOf, type WatchedFile } from './open-watched-file.ts';

/** A folder below the root that the walk met. */
export interface MetFolder {
  readonly name: string;
  readonly fsPath: FsPath;
}

export interface WalkOptions {
  readonly recursive: boolean;
  /** Whether the folder is left out with everything in it; asked of every folder that is met, also where none is entered. */
  readonly skipsFolder: (folder: MetFolder) => boolean | Promise<boolean>;
  /** Called for a folder that cannot be read, or a file whose data cannot be asked for; the walk goes on. */
  readonly onUnreadable: (path: string, error: unknown, fsPath: FsPath) => void;
  readonly signal: AbortSignal;
}

interface Folder {
  readonly fsPath: FsPath;
  /** Below the root; empty for the root itself. */
  readonly path: string;
}

/** How many files are asked about at once, and handed over together. */
const BATCH = 256;

/**
 * All that is below `root`, which has no link in its path, and no folder, in batches. Links are named, not followed, also one that
 * takes the place of a folder while this runs. Memory does not grow with the tree's files.
 */
export const walkFolder = async function* (root: string, options: WalkOptions): AsyncIterable<WatchedFile[]> {
  const waiting: Folder[] = [{ fsPath: root, path: '' }];
  for (let folder = waiting.pop(); folder !== undefined && !options.signal.aborted; folder = waiting.pop()) {
    await using held = await hold(folder, root, options);
    if (held === undefined) continue;
    for await (const entries of entriesOf(folder, held, options)) {
      for (const entry of entries)
        if (entry.isFolder && !(await options.skipsFolder(entry)) && options.recursive)
          waiting.push({ fsPath: entry.fsPath, path: entry.path });
      const files = await Promise.all(entries.filter((entry) => !entry.isFolder).map((entry) => look(entry, held, options)));
      yield files.filter((file) => file !== undefined);
    }
  }
};

/** It is gone since it was listed, or something else has its name, which the next walk meets as what it is. */
const REPLACED = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** Opens the folder that was listed; undefined where its path leads out of the root by now, or nowhere. */
const hold = async ({ fsPath, path }: Folder, root: string, { onUnreadable }: WalkOptions): Promise<HeldFolder | undefined> => {
  let held: HeldFolder | undefined;
  try {
    held = await HeldFolder.open(fsPath);
    if (await held.isWithin(root)) return held;
  } catch (error) {
    if (path === '' || !REPLACED.has((error as NodeJS.ErrnoException).code ?? '')) onUnreadable(path, error, fsPath);
  }
  await held?.[Symbol.asyncDispose]();
  return undefined;
};

interface Entry extends Folder {
  readonly bytes: Buffer;
  readonly name: string;
  readonly isFolder: boolean;
}

const entriesOf = async function* (folder: Folder, held: HeldFolder, { onUnreadable, signal }: WalkOptions): AsyncIterable<Entry[]> {
  let batch: Entry[] = [];
  try {
    // The types of Node do not know that names come as bytes here.
    const entries = (await opendir(held.path, { encoding: 'buffer' as BufferEncoding, bufferSize: BATCH })) as unknown as AsyncIterable<
      Dirent<Buffer>
    >;
    for await (const entry of entries) {
      if (signal.aborted) return;
      batch.push(entryOf(folder, entry));
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    onUnreadable(folder.path, error, folder.fsPath);
  }
  yield batch;
};

const entryOf = (folder: Folder, entry: Dirent<Buffer>): Entry => {
  const segment = nameToText(entry.name);
  const fsPath =
    typeof folder.fsPath === 'string' && isUtf8(entry.name)
      ? `${folder.fsPath}/${entry.name.toString('utf8')}`
      : Buffer.concat([Buffer.from(folder.fsPath as string), Buffer.from('/'), entry.name]);
  const path = folder.path === '' ? segment : `${folder.path}/${segment}`;
  return { bytes: entry.name, name: entry.name.toString('utf8'), fsPath, path, isFolder: entry.isDirectory() };
};

const look = async (
  { bytes, fsPath, path, name }: Entry,
  held: HeldFolder,
  { onUnreadable }: WalkOptions,
): Promise<WatchedFile | undefined> => {
  let stats: Stats;
  try {
    stats = await lstat(held.pathOf(bytes));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onUnreadable(path, error, fsPath); // gone meanwhile: nothing to say
    return undefined;
  }
  // A folder took the name of a file since the listing; the next walk goes into it.
  if (stats.isDirectory()) return undefined;
  return { path, name, fsPath, sort: sortOf(stats), facts: factsOf(stats) };
};

/** A name as text: bytes that are no UTF-8 stand as \xNN, and a backslash that could be taken for one as \x5c. No two names become one. */
export const nameToText = (name: Buffer): string => {
  const isText = isUtf8(name);
  const text = (isText ? name.toString('utf8') : name.toString('latin1')).replaceAll(FALSE_ESCAPE, '\\x5c');
  return isText ? text : text.replaceAll(/[\u0080-\u00ff]/g, escapeByte);
};

const FALSE_ESCAPE = /\\(?=x(?:5c|[89a-f][0-9a-f]))/g;

const escapeByte = (character: string): string => `\\x${character.charCodeAt(0).toString(16)}`;

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

/** The code of an error of the file system; undefined for any other error, also where it has a code of its own (see `errorCode`). */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'syscall' in error ? (error as NodeJS.ErrnoException).code : undefined;
