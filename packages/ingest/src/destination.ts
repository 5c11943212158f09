import { type FileHandle, open } from 'node:fs/promises';
import { FILE_MODE } from '@sheaf/process/machine';
import { type TempArea, type TempFile, withStorageErrors } from '@sheaf/storage';

/** Most files are smaller, and never touch the disk before they lie where they belong: half of the work of a small file. */
const MAX_IN_MEMORY_BYTES = 256 * 1024;

/** Where the bytes of one file gather: in memory while they are few, then in a temporary file that is gone at the end of the scope. */
export class Destination implements AsyncDisposable {
  readonly #area: TempArea;
  #chunks: Buffer[] = [];
  #sizeBytes = 0;
  #file: TempFile | undefined;
  #handle: FileHandle | undefined;

  constructor(area: TempArea) {
    this.#area = area;
  }

  /** Throws SERVICE_UNAVAILABLE where the temporary folder cannot be written. */
  async add(chunk: Buffer): Promise<void> {
    this.#sizeBytes += chunk.length;
    if (this.#handle !== undefined) return this.#write(chunk);
    this.#chunks.push(chunk);
    if (this.#sizeBytes > MAX_IN_MEMORY_BYTES) await this.#moveToDisk();
  }

  /** The bytes, or the path of the file that has them. */
  async finish(): Promise<Buffer | string> {
    await this.#close();
    return this.#file?.path ?? Buffer.concat(this.#chunks);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
    await this.#file?.[Symbol.asyncDispose]();
  }

  async #moveToDisk(): Promise<void> {
    const file = await this.#area.makeFile();
    this.#file = file;
    this.#handle = await withStorageErrors(this.#area.path, () => open(file.path, 'wx', FILE_MODE));
    const gathered = Buffer.concat(this.#chunks);
    this.#chunks = [];
    await this.#write(gathered);
  }

  async #write(bytes: Buffer): Promise<void> {
    await withStorageErrors(this.#area.path, async () => this.#handle?.writeFile(bytes));
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}
