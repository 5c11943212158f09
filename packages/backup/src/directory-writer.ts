import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '@sheaf/process/machine';
import { OwnFolders, renameDurably } from './durable.ts';
import { type EntryWriter, INCOMPLETE_PREFIX } from './entry-writer.ts';

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

  async pathFor(name: string): Promise<string> {
    const path = join(this.#folder, name);
    await this.#folders.makeFor(path);
    return path;
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
