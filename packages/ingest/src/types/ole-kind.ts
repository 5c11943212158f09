import type { ByteSource } from './byte-source.ts';

/** What an OLE compound file holds. `kinds` are the extensions it may have. */
export interface OleKind {
  readonly kinds: readonly string[];
  readonly name?: string;
}

/** The stream in the root folder that tells the program. */
const STREAMS: Readonly<Record<string, OleKind>> = {
  WordDocument: { kinds: ['doc'] },
  Workbook: { kinds: ['xls'] },
  Book: { kinds: ['xls'] }, // Excel 5
  'PowerPoint Document': { kinds: ['ppt'] },
  PP97_DUALSTORAGE: { kinds: ['ppt'] },
  // Which of the three it is can be seen only with the password; reading says that it is protected.
  EncryptedPackage: { kinds: ['docx', 'xlsx', 'pptx'], name: 'a password-protected office document' },
};

const END_OF_CHAIN = 0xff_ff_ff_fa; // this and everything above is no sector
const NO_ENTRY = 0xff_ff_ff_ff;
const ENTRY_BYTES = 128;
/** Real files have some hundred entries at most in a directory of one sector per four. */
const MAX_DIRECTORY_SECTORS = 2_048;
const MAX_CHAIN_TABLES = 4_096;

interface Layout {
  readonly source: ByteSource;
  readonly sectorBytes: number;
  /** The sectors of the sector allocation table, in order. */
  readonly tables: readonly number[];
}

/** Reads header, allocation table and directory of a compound file. Undefined for a damaged one or one of another program. */
export const readOleKind = async (source: ByteSource): Promise<OleKind | undefined> => {
  const header = await source.read(0, 512);
  if (header.length < 512) return undefined;
  const shift = header.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) return undefined;
  const sectorBytes = 2 ** shift;
  const layout = { source, sectorBytes, tables: await readTableSectors(source, header, sectorBytes) };
  const directory = await readChain(layout, header.readUInt32LE(48));
  return namesInRoot(directory)
    .map((name) => STREAMS[name])
    .find((kind) => kind !== undefined);
};

const readSector = ({ source, sectorBytes }: Pick<Layout, 'source' | 'sectorBytes'>, sector: number): Promise<Buffer> =>
  source.read((sector + 1) * sectorBytes, sectorBytes);

const numbersOf = (sector: Buffer): number[] => Array.from({ length: Math.floor(sector.length / 4) }, (_, i) => sector.readUInt32LE(i * 4));

/** The first 109 stand in the header, those of files over 7 MB in a chain of sectors whose last number leads on. */
const readTableSectors = async (source: ByteSource, header: Buffer, sectorBytes: number): Promise<number[]> => {
  const tables = numbersOf(header.subarray(76));
  const seen = new Set<number>();
  for (let next = header.readUInt32LE(68); next < END_OF_CHAIN && !seen.has(next) && tables.length < MAX_CHAIN_TABLES; ) {
    seen.add(next);
    const numbers = numbersOf(await readSector({ source, sectorBytes }, next));
    next = numbers.pop() ?? END_OF_CHAIN;
    tables.push(...numbers);
  }
  return tables.filter((sector) => sector < END_OF_CHAIN);
};

const readChain = async (layout: Layout, first: number): Promise<Buffer> => {
  const sectors: Buffer[] = [];
  const seen = new Set<number>();
  for (let sector = first; sector < END_OF_CHAIN && !seen.has(sector) && seen.size < MAX_DIRECTORY_SECTORS; ) {
    seen.add(sector);
    sectors.push(await readSector(layout, sector));
    sector = await nextInChain(layout, sector);
  }
  return Buffer.concat(sectors);
};

const nextInChain = async ({ source, sectorBytes, tables }: Layout, sector: number): Promise<number> => {
  const perTable = sectorBytes / 4;
  const table = tables[Math.floor(sector / perTable)];
  if (table === undefined) return END_OF_CHAIN;
  const number = await source.read((table + 1) * sectorBytes + (sector % perTable) * 4, 4);
  return number.length < 4 ? END_OF_CHAIN : number.readUInt32LE(0);
};

/** The names directly below the root: an embedded workbook further down does not make a letter a workbook. */
const namesInRoot = (directory: Buffer): string[] => {
  if (directory.length < ENTRY_BYTES) return [];
  const names: string[] = [];
  const seen = new Set<number>();
  const waiting = [directory.readUInt32LE(76)];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const at = id * ENTRY_BYTES;
    if (id === NO_ENTRY || seen.has(id) || at + ENTRY_BYTES > directory.length) continue;
    seen.add(id);
    const nameBytes = Math.min(64, Math.max(2, directory.readUInt16LE(at + 64))) - 2;
    names.push(directory.toString('utf16le', at, at + nameBytes));
    waiting.push(directory.readUInt32LE(at + 68), directory.readUInt32LE(at + 72)); // its siblings
  }
  return names;
};
