/** Reading the directory of an OLE compound file, the container of doc, xls, ppt and of encrypted docx, xlsx, pptx. */

const MAGIC = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ENTRY_BYTES = 128;
const MAX_REGULAR_SECTOR = 0xfffffffa;
const MAX_DIRECTORY_SECTORS = 4_096;
const STREAM = 2;
const ROOT = 5;

interface Entry {
  readonly name: string;
  readonly type: number;
  readonly start: number;
  readonly size: number;
}

export const isCompoundFile = (bytes: Buffer): boolean => bytes.subarray(0, MAGIC.length).equals(MAGIC);

/** Never trusts a number of the file: sectors outside it end a chain, and so does a chain longer than the file. */
export class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sectorBytes: number;
  readonly #miniSectorBytes: number;
  readonly #miniLimit: number;
  readonly #fat: readonly number[];
  readonly #entries: readonly Entry[];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#sectorBytes = 2 ** Math.min(12, Math.max(9, this.#u16(30)));
    this.#miniSectorBytes = 2 ** Math.min(9, Math.max(6, this.#u16(32)));
    this.#miniLimit = this.#u32(56);
    this.#fat = this.#readFat();
    this.#entries = this.#readEntries();
  }

  has(name: string): boolean {
    return this.#entries.some((entry) => entry.name === name);
  }

  /** The first `maxBytes` of a stream, or undefined when there is none of that name. */
  read(name: string, maxBytes: number): Buffer | undefined {
    const entry = this.#entries.find((candidate) => candidate.name === name && candidate.type === STREAM);
    if (entry === undefined) return undefined;
    const wanted = Math.min(entry.size, maxBytes);
    return entry.size < this.#miniLimit ? this.#readMini(entry.start, wanted) : this.#readChain(entry.start, wanted);
  }

  #u16(offset: number): number {
    return offset + 2 <= this.#bytes.length ? this.#bytes.readUInt16LE(offset) : 0;
  }

  #u32(offset: number): number {
    return offset + 4 <= this.#bytes.length ? this.#bytes.readUInt32LE(offset) : MAX_REGULAR_SECTOR;
  }

  #sector(index: number): Buffer {
    const start = (index + 1) * this.#sectorBytes;
    return this.#bytes.subarray(start, start + this.#sectorBytes);
  }

  /** The sectors of the allocation table: 109 named in the header, the others in sectors that are chained themselves. */
  #readFat(): readonly number[] {
    const sectors: number[] = [];
    for (let i = 0; i < 109; i += 1) sectors.push(this.#u32(76 + i * 4));
    let next = this.#u32(68);
    for (let hops = 0; next < MAX_REGULAR_SECTOR && hops < this.#bytes.length / this.#sectorBytes; hops += 1) {
      const sector = this.#sector(next);
      const numbers = readNumbers(sector);
      next = numbers.pop() ?? MAX_REGULAR_SECTOR;
      sectors.push(...numbers);
    }
    return sectors.filter((sector) => sector < MAX_REGULAR_SECTOR).flatMap((sector) => readNumbers(this.#sector(sector)));
  }

  *#chain(start: number, table: readonly number[]): Generator<number> {
    let sector = start;
    for (let hops = 0; sector < MAX_REGULAR_SECTOR && hops <= table.length; hops += 1) {
      yield sector;
      sector = table[sector] ?? MAX_REGULAR_SECTOR;
    }
  }

  #readChain(start: number, wanted: number): Buffer {
    const parts: Buffer[] = [];
    let length = 0;
    for (const sector of this.#chain(start, this.#fat)) {
      if (length >= wanted) break;
      const part = this.#sector(sector);
      if (part.length === 0) break;
      parts.push(part);
      length += part.length;
    }
    return Buffer.concat(parts).subarray(0, wanted);
  }

  /** Small streams lie in sectors of 64 bytes inside the root entry's own stream. */
  #readMini(start: number, wanted: number): Buffer {
    const root = this.#entries.find((entry) => entry.type === ROOT);
    const container = this.#readChain(root?.start ?? MAX_REGULAR_SECTOR, root?.size ?? 0);
    const table = readNumbers(this.#readChain(this.#u32(60), this.#bytes.length));
    const parts: Buffer[] = [];
    for (const sector of this.#chain(start, table)) {
      if (parts.length * this.#miniSectorBytes >= wanted) break;
      parts.push(container.subarray(sector * this.#miniSectorBytes, (sector + 1) * this.#miniSectorBytes));
    }
    return Buffer.concat(parts).subarray(0, wanted);
  }

  #readEntries(): readonly Entry[] {
    const directory = this.#readChain(this.#u32(48), MAX_DIRECTORY_SECTORS * this.#sectorBytes);
    const entries: Entry[] = [];
    for (let at = 0; at + ENTRY_BYTES <= directory.length; at += ENTRY_BYTES) {
      const entry = directory.subarray(at, at + ENTRY_BYTES);
      const nameBytes = Math.max(0, Math.min(64, entry.readUInt16LE(64)) - 2);
      const name = entry.toString('utf16le', 0, nameBytes);
      entries.push({ name, type: entry[66] ?? 0, start: entry.readUInt32LE(116), size: entry.readUInt32LE(120) });
    }
    return entries;
  }
}

const readNumbers = (bytes: Buffer): number[] => {
  const numbers: number[] = [];
  for (let at = 0; at + 4 <= bytes.length; at += 4) numbers.push(bytes.readUInt32LE(at));
  return numbers;
};
