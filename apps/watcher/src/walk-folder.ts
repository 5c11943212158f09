import { isUtf8 } from 'node:buffer';
import type { Dirent, Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { toLedgerPath } from '@sheaf/ingest';
import { type FsPath, factsOf, sortOf, type WatchedFile } from './watched-file.ts';

export interface WalkOptions {
  readonly recursive: boolean;
  /** Whether the folder of this name is left out with everything in it. */
  readonly skipsFolder: (name: string) => boolean;
  /** Told of a folder that cannot be read, or a file whose data cannot be asked for; the walk goes on. */
  readonly onUnreadable: (ledgerPath: string, error: unknown) => void;
  readonly signal: AbortSignal;
}

interface Folder {
  readonly fsPath: FsPath;
  readonly ledgerPath: string;
}

/** How many files are asked about at once, and handed over together. */
const BATCH = 256;

/** All that is below `root` and no folder, in batches. Links are named, not followed. Memory does not grow with the tree's files. */
export const walkFolder = async function* (root: string, options: WalkOptions): AsyncIterable<WatchedFile[]> {
  const waiting: Folder[] = [{ fsPath: root, ledgerPath: '' }];
  for (let folder = waiting.pop(); folder !== undefined && !options.signal.aborted; folder = waiting.pop()) {
    for await (const entries of entriesOf(folder, options)) {
      const folders = entries.filter((entry) => entry.isFolder && options.recursive && !options.skipsFolder(entry.name));
      waiting.push(...folders);
      const files = await Promise.all(entries.filter((entry) => !entry.isFolder).map((entry) => look(entry, options)));
      yield files.filter((file) => file !== undefined);
    }
  }
};

interface Entry extends Folder {
  readonly name: string;
  readonly isFolder: boolean;
}

const entriesOf = async function* (folder: Folder, { onUnreadable, signal }: WalkOptions): AsyncIterable<Entry[]> {
  let batch: Entry[] = [];
  try {
    // The types of Node do not know that names come as bytes here.
    const entries = (await opendir(folder.fsPath, { encoding: 'buffer' as BufferEncoding, bufferSize: BATCH })) as unknown as AsyncIterable<
      Dirent<Buffer>
    >;
    for await (const entry of entries) {
      if (signal.aborted) return;
      batch.push(entryOf(folder, entry));
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    onUnreadable(folder.ledgerPath, error);
  }
  yield batch;
};

const entryOf = (folder: Folder, entry: Dirent<Buffer>): Entry => {
  const isText = isUtf8(entry.name);
  // Bytes that are no UTF-8 stand in the ledger as \xNN, so that two such names stay two.
  const name = isText ? entry.name.toString('utf8') : entry.name.toString('latin1').replaceAll(/[\u0080-\u00ff]/g, escapeByte);
  const fsPath =
    isText && typeof folder.fsPath === 'string'
      ? `${folder.fsPath}/${name}`
      : Buffer.concat([Buffer.from(folder.fsPath as string), Buffer.from('/'), entry.name]);
  return { name, fsPath, ledgerPath: folder.ledgerPath === '' ? name : `${folder.ledgerPath}/${name}`, isFolder: entry.isDirectory() };
};

const escapeByte = (character: string): string => `\\x${character.charCodeAt(0).toString(16)}`;

const look = async ({ fsPath, ledgerPath, name }: Entry, { onUnreadable }: WalkOptions): Promise<WatchedFile | undefined> => {
  let stats: Stats;
  try {
    stats = await lstat(fsPath);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onUnreadable(ledgerPath, error); // gone meanwhile: nothing to say
    return undefined;
  }
  // A folder took the name of a file since the listing; the next walk goes into it.
  if (stats.isDirectory()) return undefined;
  return { ledgerPath: toLedgerPath(ledgerPath), name, fsPath, sort: sortOf(stats), facts: factsOf(stats) };
};
