import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeFolder, syncPath } from '@sheaf/process/machine';
import { pack } from 'tar-stream';

/** Where an entry grows, under a name that is not its own yet. */
export interface EntryWriter {
  /** A path on the file system of the entry where the file `name` can be written; its folder is there. */
  pathFor(name: string): Promise<string>;
  /** Takes the file `name`, which is whole, at its path. `isSynced`: its bytes survive a power cut already. */
  take(name: string, options?: { readonly isSynced?: boolean }): Promise<void>;
  /** Gives the entry its name and returns its path. All of it survives a power cut then. */
  finish(): Promise<string>;
  /** Gives back what is open, after a failure; what was written stays for the next backup to take over. */
  abandon(): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

/** Names of what is not an entry yet begin with it. */
export const INCOMPLETE_PREFIX = '.incomplete-';

/**
 * An entry that is one archive: each file is written beside it, goes into it when it is whole, and is removed. So no more space is
 * needed than for the archive and a few files.
 */
export class ArchiveWriter implements EntryWriter {
  readonly #target: string;
  readonly #growing: string;
  readonly #staging: string;
  readonly #folders: OwnFolders;
  readonly #pack = pack();
  readonly #written: Promise<void>;
  #failure: unknown;
  /** One file at a time goes into the archive. */
  #turn: Promise<void> = Promise.resolve();

  private constructor(folder: string, name: string) {
    this.#target = join(folder, `${name}.tar`);
    this.#growing = join(folder, `${INCOMPLETE_PREFIX}${name}.tar`);
    this.#staging = join(folder, `${INCOMPLETE_PREFIX}${name}`);
    this.#folders = new OwnFolders(this.#staging);
    const bytes: AsyncIterable<unknown> = this.#pack;
    this.#written = pipeline(
      Readable.from(bytes, { objectMode: false }),
      createWriteStream(this.#growing, { flags: 'wx', mode: 0o600, flush: true }),
    );
    this.#written.catch((error: unknown) => {
      this.#failure = error;
      this.#pack.destroy(); // ends what is going into it as well
    });
  }

  static async open(folder: string, name: string): Promise<ArchiveWriter> {
    const writer = new ArchiveWriter(folder, name);
    await mkdir(writer.#staging, { mode: 0o700 });
    return writer;
  }

  pathFor(name: string): Promise<string> {
    return this.#folders.pathFor(name);
  }

  take(name: string): Promise<void> {
    const added = this.#turn.then(() => this.#add(name));
    this.#turn = added.catch(() => {}); // whoever waits for `added` hears of it
    return added;
  }

  async finish(): Promise<string> {
    this.#pack.finalize();
    await this.#written;
    await rm(this.#staging, { recursive: true, force: true });
    await renameDurably(this.#growing, this.#target);
    return this.#target;
  }

  async abandon(): Promise<void> {
    this.#pack.destroy();
    await this.#written.catch(() => {}); // cut off on purpose
  }

  async discard(): Promise<void> {
    await this.abandon();
    await rm(this.#staging, { recursive: true, force: true });
    await rm(this.#growing, { force: true });
  }

  async #add(name: string): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const path = join(this.#staging, name);
    const { size } = await stat(path);
    const entry = this.#pack.entry({ name, size, mode: 0o600 });
    await feedStream(createReadStream(path, { highWaterMark: 256 * 1024 }), entry);
    if (this.#failure !== undefined) throw this.#failure;
    await rm(path);
  }
}

/** A stream of the kind that tar-stream has, as far as it is written to. */
interface Sink {
  write(chunk: Uint8Array): boolean;
  end(last: undefined): unknown;
  on(event: 'drain' | 'close' | 'error', listener: (error?: unknown) => void): unknown;
}

/** Writes all of `source` to `sink` and waits until that is closed. Node's own pipeline does not see how streams of that kind end. */
export const feedStream = async (source: AsyncIterable<Uint8Array>, sink: Sink): Promise<void> => {
  let drained: () => void = () => {};
  sink.on('drain', () => drained());
  const ended = new Promise<void>((resolve, reject) => {
    sink.on('error', reject);
    sink.on('close', () => resolve());
  });
  ended.catch(() => {}); // seen below
  for await (const chunk of source) {
    const isDrained = new Promise<void>((resolve) => (drained = resolve));
    if (!sink.write(chunk)) await Promise.race([isDrained, ended]);
  }
  sink.end(undefined);
  await ended;
};

/** An entry that is a directory: each file stands at its place from the beginning. */
export class DirectoryWriter implements EntryWriter {
  readonly #target: string;
  readonly #folder: string;
  readonly #folders: OwnFolders;

  constructor(folder: string, name: string) {
    this.#target = join(folder, name);
    this.#folder = join(folder, `${INCOMPLETE_PREFIX}${name}`);
    this.#folders = new OwnFolders(this.#folder);
  }

  /** Makes the directory. */
  static async open(folder: string, name: string): Promise<DirectoryWriter> {
    const writer = new DirectoryWriter(folder, name);
    await mkdir(writer.#folder, { mode: 0o700 });
    return writer;
  }

  pathFor(name: string): Promise<string> {
    return this.#folders.pathFor(name);
  }

  async take(name: string, { isSynced = false }: { readonly isSynced?: boolean } = {}): Promise<void> {
    if (!isSynced) await syncPath(join(this.#folder, name));
  }

  async finish(): Promise<string> {
    await this.#folders.sync();
    await syncPath(this.#folder);
    await renameDurably(this.#folder, this.#target);
    return this.#target;
  }

  async abandon(): Promise<void> {} // nothing is open

  discard(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}

/** Writes a small file that survives a power cut; its folder is the caller's to sync. */
export const writeDurably = (path: string, bytes: Uint8Array): Promise<void> =>
  writeFile(path, bytes, { mode: 0o600, flag: 'wx', flush: true });

/** Gives what is at `path` its final name: after a power cut it has one of the two, and all of its bytes. */
const renameDurably = async (path: string, target: string): Promise<void> => {
  await rename(path, target);
  await syncPath(dirname(target));
};

/** Makes folders, for the owner alone, and remembers which ones, so that in the end all their names can be synced at once. */
class OwnFolders {
  readonly #root: string;
  readonly #made = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** The path of a file below the root, whose folder is there. */
  async pathFor(name: string): Promise<string> {
    const path = join(this.#root, name);
    const folder = dirname(path);
    if (this.#made.has(folder)) return path;
    await makeFolder(folder, { mode: 0o700 });
    for (let current = folder; current.startsWith(this.#root) && !this.#made.has(current); current = dirname(current))
      this.#made.add(current);
    return path;
  }

  async sync(): Promise<void> {
    for (const folder of this.#made) await syncPath(folder);
  }
}
