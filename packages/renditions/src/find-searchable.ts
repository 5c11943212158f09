import type { Db } from '@sheaf/db';
import { readRecognisedWords } from '@sheaf/documents/pages';
import type { PdfSignatures, SearchableProblem } from '@sheaf/extraction/searchable';
import { documentKey, previewKey, type Storage, type StoredObject, searchableKey } from '@sheaf/storage';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { SearchableDocument, SearchableTask } from './make-searchable.ts';

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

export const storedFile = ({ key, sizeBytes, modifiedAt }: StoredObject): SearchableFile => ({
  key,
  sizeBytes,
  etag: `"${key.slice(key.lastIndexOf('/') + 1)}-${modifiedAt.getTime().toString(36)}"`,
});
