import type { ByteSource } from './cut-archive.ts';

/** This and everything above is no sector. */
const END_OF_CHAIN = 0xff_ff_ff_fa;
const TABLES_IN_HEADER = 109;
const NUMBER_BYTES = 4;

export const HEADER_BYTES = 512;
export const FIRST_TABLES_AT = 76;

/** Sectors that were visited: a chain that comes back to one ends there. */
export class Visited {
  readonly #size: number;
  readonly #bits: Uint8Array;

  constructor(size: number) {
    this.#size = size;
    this.#bits = new Uint8Array(Math.ceil(size / 8));
  }

  /** False when `index` was visited before, or does not exist. */
  add(index: number): boolean {
    const [byte, bit] = [index >>> 3, 1 << (index & 7)];
    const bits = this.#bits[byte] ?? 0;
    if (index >= this.#size || (bits & bit) !== 0) return false;
    this.#bits[byte] = bits | bit;
    return true;
  }
}

/** The sectors of a compound file and which follows which. No number of the file is trusted; each sector is visited once a chain. */
export class OleSectors {
  readonly sectorBytes: number;
  readonly count: number;
  readonly #source: ByteSource;
  /** The sectors of the allocation table, in order. */
  #tables: readonly number[] = [];

  private constructor(source: ByteSource, sectorBytes: number) {
    this.#source = source;
    this.sectorBytes = sectorBytes;
    this.count = Math.max(0, Math.ceil(source.sizeBytes / sectorBytes) - 1);
  }

  /** Undefined for sectors of a size that does not exist. */
  static async open(source: ByteSource, header: Buffer): Promise<OleSectors | undefined> {
    const shift = header.readUInt16LE(30);
    if (shift !== 9 && shift !== 12) return undefined;
    const sectors = new OleSectors(source, 2 ** shift);
    sectors.#tables = await sectors.#findTables(header);
    return sectors;
  }

  read(sector: number): Promise<Buffer> {
    return this.#source.read((sector + 1) * this.sectorBytes, this.sectorBytes);
  }

  /** The sectors from `first` on. */
  async *chain(first: number): AsyncGenerator<number> {
    const visited = new Visited(this.count);
    for (let sector = first; visited.add(sector); sector = await this.#next(sector)) yield sector;
  }

  /** The first `maxBytes` of what lies in the sectors from `first` on. */
  async readChain(first: number, maxBytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const sector of this.chain(first)) {
      if (length >= maxBytes) break;
      const part = await this.read(sector);
      parts.push(part);
      length += part.length;
    }
    return Buffer.concat(parts).subarray(0, maxBytes);
  }

  async #next(sector: number): Promise<number> {
    const perTable = this.sectorBytes / NUMBER_BYTES;
    const table = this.#tables[Math.floor(sector / perTable)];
    if (table === undefined || table >= this.count) return END_OF_CHAIN;
    const number = await this.#source.read((table + 1) * this.sectorBytes + (sector % perTable) * NUMBER_BYTES, NUMBER_BYTES);
    return number.length < NUMBER_BYTES ? END_OF_CHAIN : number.readUInt32LE(0);
  }

  /** The first 109 stand in the header, those of files over 7 MB in sectors that are chained by their last number. */
  async #findTables(header: Buffer): Promise<readonly number[]> {
    const needed = Math.ceil((this.count * NUMBER_BYTES) / this.sectorBytes);
    const tables = readNumbers(header.subarray(FIRST_TABLES_AT), Math.min(needed, TABLES_IN_HEADER));
    const visited = new Visited(this.count);
    for (let list = header.readUInt32LE(68); tables.length < needed && visited.add(list); ) {
      const numbers = readNumbers(await this.read(list), this.sectorBytes / NUMBER_BYTES);
      list = numbers.pop() ?? END_OF_CHAIN;
      for (const number of numbers.slice(0, needed - tables.length)) tables.push(number);
    }
    return tables;
  }
}

/** At most `count` numbers of four bytes. */
const readNumbers = (bytes: Buffer, count: number): number[] => {
  const numbers: number[] = [];
  for (let at = 0; at + NUMBER_BYTES <= bytes.length && numbers.length < count; at += NUMBER_BYTES) numbers.push(bytes.readUInt32LE(at));
  return numbers;
};
