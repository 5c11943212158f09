import { createReadStream } from 'node:fs';
import { appendFile, open, rename } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { errorCode } from '@sheaf/contract';

/**
 * The names of the files that exports wrote into a folder, one a line: a name is here before the file is, so that a later export can
 * tell what it may remove, also after a kill.
 */
export class WrittenFiles {
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
