import type { ByteSource } from './cut-archive.ts';
import { HEADER_BYTES, OleSectors, Visited } from './ole-sectors.ts';

const NUMBER_BYTES = 4;
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
