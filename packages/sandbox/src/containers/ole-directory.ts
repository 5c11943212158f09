import { type OleSectors, Visited } from './ole-sectors.ts';

const ENTRY_BYTES = 128;
const MAX_NAME_BYTES = 64;
const ROOT = 5;
const STREAM = 2;
/** Real files have some hundred entries. */
const MAX_DIRECTORY_BYTES = 4 * 1024 * 1024;

export interface OleEntry {
  readonly name: string;
  readonly isStream: boolean;
  readonly firstSector: number;
  readonly sizeBytes: number;
}

export interface OleDirectory {
  /** The container of the streams that are too short for sectors of their own. */
  readonly root: OleEntry;
  /** What lies directly below the root: an embedded workbook further down does not make a letter a workbook. */
  readonly entries: readonly OleEntry[];
}

/** Undefined for a damaged directory. */
export const readDirectory = async (sectors: OleSectors, firstSector: number): Promise<OleDirectory | undefined> => {
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
