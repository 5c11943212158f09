import { type FileHandle, open } from 'node:fs/promises';
import type { EntryWriter } from './entry-writer.ts';
import type { ListedFiles } from './manifest.ts';
import { RunningMeasure } from './measure.ts';

/** Many lines make one write. */
const BUFFERED_LINES = 2_000;

/** Writes a list of files of the entry, line by line, and counts what is in it. */
export class ListWriter implements AsyncDisposable {
  readonly #writer: EntryWriter;
  readonly #name: string;
  readonly #handle: FileHandle;
  readonly #measure = new RunningMeasure();
  #lines: string[] = [];
  #count = 0;
  #bytes = 0;

  private constructor(writer: EntryWriter, name: string, handle: FileHandle) {
    this.#writer = writer;
    this.#name = name;
    this.#handle = handle;
  }

  static async open(writer: EntryWriter, name: string): Promise<ListWriter> {
    return new ListWriter(writer, name, await open(await writer.pathFor(name), 'wx', 0o600));
  }

  /** Notes a file of `sizeBytes` by its line. */
  async add(line: string, sizeBytes: number): Promise<void> {
    this.#count += 1;
    this.#bytes += sizeBytes;
    this.#lines.push(`${line}\n`);
    if (this.#lines.length >= BUFFERED_LINES) await this.#flush();
  }

  /** Puts the list into the entry and says what it lists. */
  async finish(): Promise<ListedFiles> {
    await this.#flush();
    await this.#handle.close();
    await this.#writer.take(this.#name);
    return { count: this.#count, bytes: this.#bytes, list_sha256: this.#measure.finish().sha256 };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#handle.close(); // a second time does nothing
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#lines.join(''), 'latin1');
    this.#lines = [];
    this.#measure.add(bytes);
    await this.#handle.writeFile(bytes);
  }
}
