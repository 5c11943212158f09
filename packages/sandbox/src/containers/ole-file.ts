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

const MAX_SHORT_TABLE_BYTES = 8 * 1024 * 1024;

/**
 * An OLE compound file: the container of doc, xls, ppt and of encrypted docx, xlsx, pptx. Time and memory grow with the file
 * alone, whatever its chains say. Written here because the one maintained-looking library (cfb) follows them recursively.
 */
export class OleFile {
  readonly #sectors: OleSectors;
  readonly #header: Buffer;
  readonly #directory: OleDirectory;

  private constructor(sectors: OleSectors, header: Buffer, directory: OleDirectory) {
    this.#sectors = sectors;
    this.#header = header;
    this.#directory = directory;
  }

  /** Undefined when header or directory are damaged. `source` has to stay open as long as streams are read. */
  static async open(source: ByteSource): Promise<OleFile | undefined> {
    const header = await source.read(0, HEADER_BYTES);
    if (header.length < HEADER_BYTES) return undefined;
    const sectors = await OleSectors.open(source, header);
    const directory = sectors && (await readDirectory(sectors, header.readUInt32LE(48)));
    return sectors && directory && new OleFile(sectors, header, directory);
  }

  /** The names directly below the root. */
  get names(): readonly string[] {
    return this.#directory.entries.map(({ name }) => name);
  }

  has(name: string): boolean {
    return this.#directory.entries.some((entry) => entry.name === name);
  }

  /** The first `maxBytes` of a stream directly below the root, or undefined when there is none of that name. */
  async read(name: string, maxBytes: number): Promise<Buffer | undefined> {
    const entry = this.#directory.entries.find((candidate) => candidate.name === name && candidate.isStream);
    if (entry === undefined) return undefined;
    const wanted = Math.min(entry.sizeBytes, maxBytes);
    const shortBelow = this.#header.readUInt32LE(56);
    return entry.sizeBytes < shortBelow ? this.#readShort(entry.firstSector, wanted) : this.#sectors.readChain(entry.firstSector, wanted);
  }

  /** Short streams lie in sectors of 64 bytes inside the root entry's own stream. */
  async #readShort(first: number, wanted: number): Promise<Buffer> {
    const table = await this.#sectors.readChain(this.#header.readUInt32LE(60), MAX_SHORT_TABLE_BYTES);
    const container = await this.#containerSectors();
    const visited = new Visited(Math.floor(table.length / NUMBER_BYTES));
    const parts: Buffer[] = [];
    let length = 0;
    for (let index = first; length < wanted && visited.add(index); index = table.readUInt32LE(index * NUMBER_BYTES)) {
      const part = await this.#readShortSector(container, index);
      parts.push(part);
      length += part.length;
    }
    return Buffer.concat(parts).subarray(0, wanted);
  }

  async #containerSectors(): Promise<readonly number[]> {
    const sectors: number[] = [];
    for await (const sector of this.#sectors.chain(this.#directory.root.firstSector)) sectors.push(sector);
    return sectors;
  }

  async #readShortSector(container: readonly number[], index: number): Promise<Buffer> {
    const shortBytes = 2 ** Math.min(9, Math.max(6, this.#header.readUInt16LE(32)));
    const at = index * shortBytes;
    const sector = container[Math.floor(at / this.#sectors.sectorBytes)];
    if (sector === undefined) return Buffer.alloc(0);
    const start = at % this.#sectors.sectorBytes;
    return (await this.#sectors.read(sector)).subarray(start, start + shortBytes);
  }
}

const ENTRY_BYTES = 128;
const MAX_NAME_BYTES = 64;
const ROOT = 5;
const STREAM = 2;
/** Real files have some hundred entries. */
const MAX_DIRECTORY_BYTES = 4 * 1024 * 1024;

interface OleEntry {
  readonly name: string;
  readonly isStream: boolean;
  readonly firstSector: number;
  readonly sizeBytes: number;
}

interface OleDirectory {
  /** The container of the streams that are too short for sectors of their own. */
  readonly root: OleEntry;
  /** What lies directly below the root: an embedded workbook further down does not make a letter a workbook. */
  readonly entries: readonly OleEntry[];
}

/** Undefined for a damaged directory. */
const readDirectory = async (sectors: OleSectors, firstSector: number): Promise<OleDirectory | undefined> => {
  const directory = await sectors.readChain(firstSector, MAX_DIRECTORY_BYTES);
  if (directory.length < ENTRY_BYTES || directory[66] !== ROOT) return undefined;
  return { root: readEntry(directory, 0), entries: readSiblings(directory, directory.readUInt32LE(76)) };
};

/** The entries are a tree of siblings, of which each names two more. */
const readSiblings = (directory: Buffer, first: number): readonly OleEntry[] => {
  const entries: OleEntry[] = [];
  const count = Math.floor(directory.length / ENTRY_BYTES);
  const visited = new Visited(count);
  const waiting = [first];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (!visited.add(id)) continue;
    const at = id * ENTRY_BYTES;
    entries.push(readEntry(directory, at));
    waiting.push(directory.readUInt32LE(at + 68), directory.readUInt32LE(at + 72));
  }
  return entries;
};

const readEntry = (directory: Buffer, at: number): OleEntry => {
  const nameBytes = Math.max(0, Math.min(MAX_NAME_BYTES, directory.readUInt16LE(at + 64)) - 2);
  return {
    name: directory.toString('utf16le', at, at + nameBytes),
    isStream: directory[at + 66] === STREAM,
    firstSector: directory.readUInt32LE(at + 116),
    sizeBytes: directory.readUInt32LE(at + 120),
  };
};
