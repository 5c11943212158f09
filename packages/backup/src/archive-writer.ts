import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import { OwnFolders, renameDurably } from './durable.ts';
import { type EntryWriter, INCOMPLETE_PREFIX } from './entry-writer.ts';
import { feedStream } from './feed-stream.ts';

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

  async pathFor(name: string): Promise<string> {
    const path = join(this.#staging, name);
    await this.#folders.makeFor(path);
    return path;
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
