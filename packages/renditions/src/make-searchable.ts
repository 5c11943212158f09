import { mkdtempDisposable } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FixedConfig } from '@sheaf/config';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { listRecognisedPages } from '@sheaf/documents/pages';
import type { PictureMaker } from '@sheaf/extraction/pictures';
import { makeSearchablePdf, type RecognisedPage, type SearchablePdf, type SearchableProblem } from '@sheaf/extraction/searchable';
import { makeFolder } from '@sheaf/process/machine';
import { hashOfKey, type Storage } from '@sheaf/storage';
import { keepRendition } from './keep-rendition.ts';

export interface SearchableParts {
  readonly config: Pick<FixedConfig, 'storage' | 'ocr'>;
  readonly db: Db;
  readonly storage: Storage;
  readonly pictures: Pick<PictureMaker, 'ask' | 'limits'>;
}

/** What of a document decides about its searchable PDF. */
export type SearchableDocument = Pick<Document, 'id' | 'sha256' | 'mimeType' | 'status' | 'sizeBytes'>;

export interface SearchableTask {
  readonly document: SearchableDocument;
  /** What it is made of, and what that is. */
  readonly sourceKey: string;
  readonly mimeType: string;
  /** Where it is kept. */
  readonly key: string;
  /** Recognised pages with words. */
  readonly pages: number;
  /** Told what share of the work is done. */
  readonly onProgress: (share: number) => void;
}

/** What remains when the words of all pages are written: qpdf lays them over, and the file is stored. */
const WORDS_SHARE = 0.7;

/** Makes the PDF in a folder that whoever gives it removes. Throws what the storage throws, and the signal's reason. */
export const makeSearchableIn = async (
  scratchPath: string,
  { db, storage, pictures }: SearchableParts,
  { document, sourceKey, mimeType, pages, onProgress }: SearchableTask,
  signal: AbortSignal,
): Promise<SearchablePdf> => {
  async function* recognised(): AsyncGenerator<RecognisedPage> {
    let done = 0;
    for await (const page of listRecognisedPages(db, document.id)) {
      yield page;
      done += 1;
      onProgress((WORDS_SHARE * done) / Math.max(pages, done));
    }
  }
  return await makeSearchablePdf({
    path: await storage.localPath(sourceKey, scratchPath),
    mimeType,
    pages: recognised(),
    scratchPath,
    pictures,
    signal,
  });
};

/** A folder for what is made, which is removed when it is disposed of. */
export const makeScratch = async ({ storage: { tempPath } }: Pick<FixedConfig, 'storage'>) => {
  await makeFolder(tempPath);
  return await mkdtempDisposable(join(tempPath, 'searchable-'));
};

/** Makes the PDF and keeps it; answers why there is none. Throws what the storage throws, and DOCUMENT_NOT_FOUND where the document is gone. */
export const makeStoredSearchablePdf = async (
  parts: SearchableParts,
  task: SearchableTask,
  signal: AbortSignal,
): Promise<SearchableProblem | undefined> => {
  const { document, key } = task;
  await using scratch = await makeScratch(parts.config);
  const made = await makeSearchableIn(scratch.path, parts, task, signal);
  if (!made.ok) return made.problem;
  await keepRendition(parts, document, key, made.path);
  await removeOlder(parts.storage, document.sha256, key);
  return undefined;
};

/** Removes those with other words of the same document. */
const removeOlder = async (storage: Storage, sha256: string, newest: string): Promise<void> => {
  for await (const { key } of storage.list(`${dirname(newest)}/`))
    if (key !== newest && hashOfKey(key) === sha256) await storage.delete(key);
};
