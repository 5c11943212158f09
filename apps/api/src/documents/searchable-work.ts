import { mkdtempDisposable } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FixedConfig } from '@sheaf/config';
import type { Db } from '@sheaf/db';
import { type LabelledDocument, listRecognisedPages } from '@sheaf/documents';
import { makeSearchablePdf, type RecognisedPage, type SearchableProblem } from '@sheaf/extraction/searchable';
import { makeFolder } from '@sheaf/machine';
import { hashOfKey, type Storage } from '@sheaf/storage';
import { keepRendition } from './rendition.ts';

export interface SearchableParts {
  readonly config: Pick<FixedConfig, 'storage' | 'ocr'>;
  readonly db: Db;
  readonly storage: Storage;
}

export interface SearchableTask {
  readonly document: LabelledDocument;
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

/** Makes the PDF and keeps it; answers why there is none. Throws what the storage throws, and DOCUMENT_NOT_FOUND where the document is gone. */
export const makeStoredSearchablePdf = async (
  { config, db, storage }: SearchableParts,
  { document, sourceKey, mimeType, key, pages, onProgress }: SearchableTask,
  signal: AbortSignal,
): Promise<SearchableProblem | undefined> => {
  const { tempPath } = config.storage;
  await makeFolder(tempPath);
  await using scratch = await mkdtempDisposable(join(tempPath, 'searchable-'));
  async function* recognised(): AsyncGenerator<RecognisedPage> {
    let done = 0;
    for await (const page of listRecognisedPages(db, document.id)) {
      yield page;
      done += 1;
      onProgress((WORDS_SHARE * done) / Math.max(pages, done));
    }
  }
  const made = await makeSearchablePdf({
    path: await storage.localPath(sourceKey, scratch.path),
    mimeType,
    pages: recognised(),
    scratchPath: scratch.path,
    limits: config.ocr.limits,
    signal,
  });
  if (!made.ok) return made.problem;
  await keepRendition({ db, storage }, document, key, made.path);
  await removeOlder(storage, document.sha256, key);
  return undefined;
};

/** Removes those with other words of the same document. */
const removeOlder = async (storage: Storage, sha256: string, newest: string): Promise<void> => {
  for await (const { key } of storage.list(`${dirname(newest)}/`))
    if (key !== newest && hashOfKey(key) === sha256) await storage.delete(key);
};
