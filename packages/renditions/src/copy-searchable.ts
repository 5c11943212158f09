import { documentKey } from '@sheaf/storage';
import { findSearchable, type NoSearchable } from './find-searchable.ts';
import { makeScratch, makeSearchableIn, type SearchableDocument, type SearchableParts } from './make-searchable.ts';
import { readStoredSignatures } from './stored-signatures.ts';

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
  const scratch = folders.use(await makeScratch(parts.config));
  const made =
    found.kind === 'file'
      ? { ok: true as const, path: await parts.storage.localPath(found.file.key, scratch.path) }
      : await makeSearchableIn(scratch.path, parts, { ...found.task, onProgress: () => {} }, signal);
  if (!made.ok) return { problem: made.problem };
  const kept = folders.move();
  return { path: made.path, [Symbol.asyncDispose]: () => kept.disposeAsync() };
};
