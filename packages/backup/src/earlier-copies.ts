import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@sheaf/contract';
import { listEntries, listIncomplete } from './entries.ts';
import { previewName } from './entry-layout.ts';
import type { Measure } from './measure.ts';
import { openBackup } from './reader.ts';

/** Copies of files that earlier backups made. */
export interface EarlierCopies {
  /** The file `name` of the newest whole backup, if it has it with this size: it was right when it was made. */
  findWhole(name: string, sizeBytes: number): Promise<string | undefined>;
  /** The preview of a document in the newest whole backup, if it has it with this size, and what it was when it was made. */
  findPreview(documentSha256: string, sizeBytes: number): Promise<{ readonly path: string; readonly measure: Measure } | undefined>;
  /** The file `name` in backups that did not end: of the right size, and else for the caller to look at. */
  findBegun(name: string, sizeBytes: number): Promise<string[]>;
  /** The file `name` in all whole backups, the newest first. */
  findAll(name: string): Promise<string[]>;
}

export interface EarlierCopiesOptions {
  /** Those with backups; that of the new one first. */
  readonly folders: readonly string[];
  /** The newest whole backup is not believed: everything is to be read again. */
  readonly isFull: boolean;
}

export const openEarlierCopies = async ({ folders, isFull }: EarlierCopiesOptions): Promise<EarlierCopies> => {
  const entries = (await Promise.all(folders.map((folder) => listEntries(folder)))).flat().filter(({ isArchive }) => !isArchive);
  const begun = (await Promise.all(folders.map((folder) => listIncomplete(folder)))).flat();
  const newest = isFull ? undefined : entries[0]?.path;
  const previews = newest === undefined ? new Map<string, Measure>() : await readPreviews(newest);
  const findWhole = async (name: string, sizeBytes: number): Promise<string | undefined> =>
    newest === undefined ? undefined : (await filesOfSize([join(newest, name)], sizeBytes))[0];
  return {
    findWhole,
    findPreview: async (documentSha256, sizeBytes) => {
      const measure = previews.get(documentSha256);
      const path = measure?.bytes === sizeBytes ? await findWhole(previewName(documentSha256), sizeBytes) : undefined;
      return path === undefined || measure === undefined ? undefined : { path, measure };
    },
    findBegun: (name, sizeBytes) =>
      filesOfSize(
        begun.map((path) => join(path, name)),
        sizeBytes,
      ),
    findAll: (name) => filesOfSize(entries.map(({ path }) => join(path, name))),
  };
};

/** The previews of the backup, by the hash of their document; none where it cannot be read. */
const readPreviews = async (path: string): Promise<Map<string, Measure>> => {
  const previews = new Map<string, Measure>();
  try {
    await using backup = await openBackup(path);
    for await (const { documentSha256, sizeBytes, sha256 } of backup.listPreviews())
      previews.set(documentSha256, { bytes: sizeBytes, sha256 });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  return previews;
};

/** Those of `paths` that are files, of the size `sizeBytes` where one is given. */
const filesOfSize = async (paths: readonly string[], sizeBytes?: number): Promise<string[]> => {
  const found: string[] = [];
  for (const path of paths) {
    const file = await lstat(path).catch(() => undefined); // not there, or its folder is none: no copy in any case
    if (file?.isFile() === true && (sizeBytes === undefined || file.size === sizeBytes)) found.push(path);
  }
  return found;
};
