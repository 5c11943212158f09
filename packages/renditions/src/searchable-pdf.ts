import { dirname } from 'node:path';
import type { FixedConfig } from '@sheaf/config';
import { documentNotFound } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { listRecognisedPages, readRecognisedWords } from '@sheaf/documents/pages';
import type { PictureMaker } from '@sheaf/extraction/pictures';
import {
  makeSearchablePdf,
  type PdfSignatures,
  type RecognisedPage,
  readSignatures,
  type SearchablePdf,
  type SearchableProblem,
} from '@sheaf/extraction/searchable';
import { keepDerivedFiles } from '@sheaf/ingest';
import {
  documentKey,
  hashOfKey,
  previewKey,
  type Storage,
  type StorageSource,
  type StoredObject,
  searchableKey,
  TempArea,
} from '@sheaf/storage';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';

/** A searchable PDF on this machine, until it is disposed of. */
export interface SearchableCopy extends AsyncDisposable {
  readonly path: string;
}

/**
 * The searchable PDF of a document that is not its file itself; undefined where it is. One that is not stored is made for this alone, and
 * not stored: all PDFs of a library need not fit into the storage. Throws what the storage throws, and the signal's reason.
 */
export const copySearchable = async (
  parts: SearchableParts,
  document: SearchableDocument,
  signal: AbortSignal,
): Promise<SearchableCopy | { readonly problem: NoSearchable } | undefined> => {
  const readSignatures = () => readStoredSignatures(parts, document.sha256, signal);
  const found = await findSearchable({ ...parts, readSignatures }, document);
  if (found.kind === 'none') return { problem: found.problem };
  if (found.kind === 'file' && found.file.key === documentKey(document.sha256)) return undefined;
  await using folders = new AsyncDisposableStack();
  const scratch = folders.use(await new TempArea(parts.config.storage.tempPath).makeScratch('searchable'));
  const made =
    found.kind === 'file'
      ? { ok: true as const, path: await parts.storage.localPath(found.file.key, scratch.path) }
      : await makeSearchableIn(scratch.path, parts, { ...found.task, onProgress: () => {} }, signal);
  if (!made.ok) return { problem: made.problem };
  const kept = folders.move();
  return { path: made.path, [Symbol.asyncDispose]: () => kept.disposeAsync() };
};

/** The signatures in a stored PDF. Throws what the storage throws, and the signal's reason. */
export const readStoredSignatures = async (
  { config, storage }: { readonly config: Pick<FixedConfig, 'storage' | 'ocr'>; readonly storage: Storage },
  sha256: string,
  signal: AbortSignal,
): Promise<PdfSignatures> => {
  await using scratch = await new TempArea(config.storage.tempPath).makeScratch('signatures');
  const path = await storage.localPath(documentKey(sha256), scratch.path);
  return await readSignatures({ path, scratchPath: scratch.path, limits: config.ocr.limits, signal });
};

/** A stored PDF with the words of a document: made for it, or the file itself where it has all of them or is signed. */
export interface SearchableFile {
  readonly key: string;
  readonly sizeBytes: number;
  readonly etag: string;
}

/** Why a document has none. */
export type NoSearchable = SearchableProblem | 'not_processed' | 'no_positions' | 'no_rendition';

type Found =
  | { readonly kind: 'file'; readonly file: SearchableFile }
  | { readonly kind: 'task'; readonly task: Omit<SearchableTask, 'onProgress'> }
  | { readonly kind: 'none'; readonly problem: NoSearchable };

interface FindParts {
  readonly db: Db;
  readonly storage: Storage;
  /** Of the PDF that the document is. */
  readonly readSignatures: () => Promise<PdfSignatures>;
}

/** The file that is the searchable PDF of a document, or what it is to be made of. Throws what the storage throws. */
export const findSearchable = async ({ db, storage, readSignatures }: FindParts, document: SearchableDocument): Promise<Found> => {
  const { sha256, mimeType } = document;
  const family = findKindByMimeType(mimeType)?.family;
  if (family !== 'pdf' && family !== 'image' && family !== 'office') return none('unsupported');
  if (document.status !== 'completed') return none('not_processed');
  const words = await readRecognisedWords(db, document.id);
  if (words.pages === 0 && words.pagesWithoutPositions > 0) return none('no_positions');
  const key = searchableKey(sha256, words.hash);
  const stored = await storage.stat(key);
  if (stored !== undefined) return { kind: 'file', file: storedFile(stored) };
  const original = { key: documentKey(sha256), sizeBytes: document.sizeBytes, etag: `"${sha256}"` };
  const task = { document, sourceKey: original.key, mimeType, key, pages: words.pages };
  if (family === 'image') return { kind: 'task', task };
  if (family === 'office') {
    const rendition = await storage.stat(previewKey(sha256));
    if (rendition === undefined) return none('no_rendition');
    if (words.pages === 0) return { kind: 'file', file: storedFile(rendition) };
    return { kind: 'task', task: { ...task, sourceKey: rendition.key, mimeType: 'application/pdf' } };
  }
  if (words.pages === 0) return { kind: 'file', file: original };
  const found = await readSignatures();
  // with anything added to it a signature would not hold
  if (!found.ok) return none(found.problem);
  return found.signatures.length > 0 ? { kind: 'file', file: original } : { kind: 'task', task };
};

const none = (problem: NoSearchable): Found => ({ kind: 'none', problem });

const storedFile = ({ key, sizeBytes, modifiedAt }: StoredObject): SearchableFile => ({
  key,
  sizeBytes,
  etag: `"${key.slice(key.lastIndexOf('/') + 1)}-${modifiedAt.getTime().toString(36)}"`,
});

export interface SearchableParts {
  readonly config: Pick<FixedConfig, 'storage' | 'ocr'>;
  readonly db: Db;
  readonly storage: Storage;
  readonly pictures: Pick<PictureMaker, 'ask' | 'limits'>;
}

/** What of a document decides about its searchable PDF. */
type SearchableDocument = Pick<Document, 'id' | 'sha256' | 'mimeType' | 'status' | 'sizeBytes'>;

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
const makeSearchableIn = async (
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

/** Makes the PDF and keeps it; answers why there is none. Throws what the storage throws, and DOCUMENT_NOT_FOUND where the document is gone. */
export const makeStoredSearchablePdf = async (
  parts: SearchableParts,
  task: SearchableTask,
  signal: AbortSignal,
): Promise<SearchableProblem | undefined> => {
  const { document, key } = task;
  await using scratch = await new TempArea(parts.config.storage.tempPath).makeScratch('searchable');
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

/** Keeps what was made. Throws DOCUMENT_NOT_FOUND where the document was deleted while it was made. */
export const keepRendition = async (
  parts: { readonly db: Db; readonly storage: Storage },
  { id, sha256 }: Pick<Document, 'id' | 'sha256'>,
  key: string,
  made: StorageSource,
): Promise<void> => {
  if (!(await keepDerivedFiles(parts, sha256, [{ key, source: made }]))) throw documentNotFound(id);
};
