import type { FileHandle } from 'node:fs/promises';

/** Writes the objects of a PDF one behind the other and, of all that was written, keeps only where each one begins. */
export class PdfWriter {
  readonly #file: FileHandle;
  /** By number; those below the first free one are written when their content is known. */
  readonly #offsets: number[] = [];
  #next: number;
  #at = 0;

  constructor(file: FileHandle, firstFree: number) {
    this.#file = file;
    this.#next = firstFree;
  }

  /** Writes an object under the next number, which it returns. */
  async add(content: string): Promise<number> {
    const number = this.#take();
    await this.write(number, content);
    return number;
  }

  /** Writes a stream as it is; `entries` is what its dictionary has beside the length. */
  async addStream(entries: string, ...pieces: readonly Uint8Array[]): Promise<number> {
    const number = this.#take();
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    await this.#begin(number, `<<${entries} /Length ${length}>>\nstream\n`);
    for (const piece of pieces) await this.#append(piece);
    await this.#append('\nendstream\nendobj\n');
    return number;
  }

  async write(number: number, content: string): Promise<void> {
    await this.#begin(number, `${content}\nendobj\n`);
  }

  /** Writes where everything is. Each number below the last has to be written by now. */
  async end(root: number): Promise<void> {
    const start = this.#at;
    const lines = ['0000000000 65535 f \n'];
    for (let number = 1; number < this.#next; number += 1) {
      const offset = this.#offsets[number];
      if (offset === undefined) throw new Error(`object ${number} was not written`);
      lines.push(`${String(offset).padStart(10, '0')} 00000 n \n`);
    }
    const trailer = `trailer\n<</Size ${this.#next} /Root ${root} 0 R>>\nstartxref\n${start}\n%%EOF\n`;
    await this.#append(`xref\n0 ${this.#next}\n${lines.join('')}${trailer}`);
  }

  #take(): number {
    const number = this.#next;
    this.#next += 1;
    return number;
  }

  async #begin(number: number, content: string): Promise<void> {
    if (this.#at === 0) await this.#append('%PDF-1.5\n%\xe2\xe3\xcf\xd3\n');
    this.#offsets[number] = this.#at;
    await this.#append(`${number} 0 obj\n${content}`);
  }

  async #append(content: string | Uint8Array): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
    await this.#file.writeFile(bytes);
    this.#at += bytes.length;
  }
}
