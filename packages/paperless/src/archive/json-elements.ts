/** Far deeper than records are. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** What may come next outside of elements. */
type Place = 'start' | 'first' | 'element' | 'separator' | 'end';

const NEXT: Readonly<Record<Exclude<Place, 'end'>, Readonly<Partial<Record<number, Place>>>>> = {
  start: { [OPEN_ARRAY]: 'first' },
  first: { [CLOSE_ARRAY]: 'end' },
  element: {},
  separator: { [COMMA]: 'element', [CLOSE_ARRAY]: 'end' },
};

/**
 * Finds the objects of a JSON array by their bounds, from the bytes piece by piece: one pass, and no more in memory than one object.
 * What is inside the objects is left to JSON.parse.
 */
class ElementScanner {
  readonly #file: string;
  readonly #maxBytes: number;
  #place: Place = 'start';
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** Of the element that has begun, from earlier pieces. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  #found = 0;

  constructor(file: string, maxBytes: number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** The elements that end in this piece. */
  *write(piece: Buffer): Generator<Buffer> {
    let at = 0;
    while (at < piece.length) {
      if (this.#depth === 0) {
        at = this.#skipBetween(piece, at);
        continue;
      }
      const end = this.#endWithin(piece, at);
      this.#keep(piece.subarray(at, end));
      at = end;
      if (this.#depth === 0) yield this.#take();
    }
  }

  end(): void {
    if (this.#place !== 'end') throw this.#invalid('it ends before the array does');
  }

  /** Goes to the beginning of the next element, or to the end of the piece. */
  #skipBetween(piece: Buffer, from: number): number {
    for (let at = from; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (isSpace(byte)) continue;
      if (byte === OPEN_OBJECT && (this.#place === 'first' || this.#place === 'element')) {
        this.#place = 'separator';
        this.#depth = 1;
        this.#keep(piece.subarray(at, at + 1));
        return at + 1;
      }
      const next = this.#place === 'end' ? undefined : NEXT[this.#place][byte];
      if (next === undefined) throw this.#invalid(`unexpected byte 0x${byte.toString(16)} outside of records`);
      this.#place = next;
    }
    return piece.length;
  }

  /** Where the element ends in the piece, which is its end where it does not. */
  #endWithin(piece: Buffer, from: number): number {
    for (let at = from; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (this.#isInText) this.#goOnInText(byte);
      else if (byte === QUOTE) this.#isInText = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#goDown();
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        this.#depth -= 1;
        if (this.#depth === 0) return at + 1;
      }
    }
    return piece.length;
  }

  #goOnInText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInText = false;
  }

  #goDown(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.#invalid('it is nested too deeply');
  }

  #keep(part: Buffer): void {
    this.#partBytes += part.length;
    if (this.#partBytes > this.#maxBytes) throw new PaperlessArchiveError('record_too_large', this.#describe());
    if (part.length > 0) this.#parts.push(part);
  }

  #take(): Buffer {
    const element = Buffer.concat(this.#parts, this.#partBytes);
    this.#parts = [];
    this.#partBytes = 0;
    this.#found += 1;
    return element;
  }

  #describe(): string {
    return `${this.#file}, record ${this.#found + 1}`;
  }

  #invalid(why: string): PaperlessArchiveError {
    return new PaperlessArchiveError('manifest_invalid', `${this.#describe()}: ${why}`);
  }
}

/**
 * The objects of a JSON array as bytes, in order. `file` is what errors name. Throws PaperlessArchiveError `manifest_invalid`, and
 * `record_too_large` for an object of more than `maxBytes`.
 */
export async function* jsonElements(pieces: AsyncIterable<Buffer>, file: string, maxBytes: number): AsyncGenerator<Buffer> {
  const scanner = new ElementScanner(file, maxBytes);
  for await (const piece of pieces) yield* scanner.write(piece);
  scanner.end();
}

/** Why an export cannot be read. */
export type PaperlessArchiveProblem =
  /** There is no such file or folder, or it cannot be opened. */
  | 'not_found'
  /** It is neither a folder nor a ZIP archive, or the archive is damaged or has too many entries. */
  | 'not_an_archive'
  /** There is no manifest.json. */
  | 'manifest_missing'
  /** A manifest is no JSON array of records. */
  | 'manifest_invalid'
  /** A record is larger than may be read. */
  | 'record_too_large'
  /** There is neither metadata.json nor version.json, or it names no version. */
  | 'metadata_missing'
  /** It names a version that this reader does not know. */
  | 'version_unsupported'
  /** It was made with --data-only: the documents are not in it. */
  | 'data_only'
  /** Its secrets are encrypted in a way that this reader does not know. */
  | 'encryption_unsupported'
  /** The passphrase is not the one of the export. */
  | 'passphrase_wrong'
  /** A file of the export cannot be read to its end as the export describes it. */
  | 'file_damaged';

export class PaperlessArchiveError extends Error {
  readonly code: PaperlessArchiveProblem;

  /** `detail` names the file, the record or the version it is about. */
  constructor(code: PaperlessArchiveProblem, detail: string, cause?: unknown) {
    super(`${code}: ${detail}`, { cause });
    this.code = code;
    this.detail = detail;
  }

  readonly detail: string;
}
