import type { ByteSource } from './byte-source.ts';
import { type OleDirectory, readDirectory } from './ole-directory.ts';
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
