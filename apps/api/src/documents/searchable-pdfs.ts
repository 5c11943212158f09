import { type AppError, codedError } from '@sheaf/contract';
import { type LabelledDocument, readRecognisedWords } from '@sheaf/documents';
import type { SearchableProblem } from '@sheaf/extraction/searchable';
import type { FairSlots } from '@sheaf/extraction/thumbnail';
import type { Component } from '@sheaf/process';
import { documentKey, previewKey, type StoredObject, searchableKey } from '@sheaf/storage';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { DocumentSignatures } from './document-signatures.ts';
import { makeStoredSearchablePdf, type SearchableParts, type SearchableTask } from './searchable-work.ts';
import type { StoredFile } from './stored-file.ts';

/** A stored PDF with the words of a document: made for it, or the file itself where it has all of them or is signed. */
type SearchableFile = Pick<StoredFile, 'key' | 'sizeBytes' | 'etag'>;

/** `progress` from 0 to 1. */
type Searchable = { readonly kind: 'file'; readonly file: SearchableFile } | { readonly kind: 'making'; readonly progress: number };

interface Parts extends SearchableParts {
  readonly signatures: DocumentSignatures;
  /** They are made in these, so many at a time. */
  readonly slots: FairSlots;
}

interface Making {
  readonly done: Promise<SearchableProblem | undefined>;
  progress: number;
  /** Whether the outcome is there; it stays for a while for who asks again. */
  hasEnded: boolean;
}

/** More do not wait for their turn: who asks is told to come again. */
const MAX_MAKING = 200;
/** An outcome is kept so long for a client that asks again. */
const OUTCOME_MS = 60_000;

const notAvailable = (
  { id, status, mimeType }: LabelledDocument,
  problem: SearchableProblem | 'not_processed' | 'no_positions' | 'no_rendition',
): AppError => codedError('NOT_FOUND', 'SEARCHABLE_PDF_NOT_AVAILABLE', { document_id: id, status, mime_type: mimeType, problem });

/** PDFs of documents with the recognised words as text that nobody sees: stored ones, and new ones, each made once at a time. */
export class SearchablePdfs implements Component {
  readonly name = 'searchable-pdfs';
  readonly #parts: Parts;
  readonly #making = new Map<string, Making>();
  readonly #stopping = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {}

  /** What is being made is given up: it is made again for the next one who asks. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled([...this.#making.values()].map(({ done }) => done));
  }

  /**
   * The PDF, where it is there within `patienceMs`; else how far it is. It is made also for who does not wait. Throws
   * SEARCHABLE_PDF_NOT_AVAILABLE, and what the storage throws.
   */
  async find(document: LabelledDocument, principal: Principal, patienceMs: number, signal: AbortSignal): Promise<Searchable> {
    const source = await this.#sourceOf(document, principal, signal);
    if ('file' in source) return { kind: 'file', file: source.file };
    const making = this.#making.get(source.key) ?? this.#begin(source, principal);
    if (making === undefined) return { kind: 'making', progress: 0 };
    await Promise.race([making.done.catch(() => undefined), until(AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]))]);
    signal.throwIfAborted();
    if (!making.hasEnded) return { kind: 'making', progress: making.progress };
    this.#making.delete(source.key);
    const problem = await making.done;
    if (problem !== undefined) throw notAvailable(document, problem);
    const made = await this.#parts.storage.stat(source.key);
    return made === undefined ? { kind: 'making', progress: 0 } : { kind: 'file', file: fileOf(made) };
  }

  /** The file that is the answer, or what it is to be made of. */
  async #sourceOf(
    document: LabelledDocument,
    principal: Principal,
    signal: AbortSignal,
  ): Promise<{ readonly file: SearchableFile } | Omit<SearchableTask, 'onProgress'>> {
    const { db, storage, signatures } = this.#parts;
    const { sha256, mimeType } = document;
    const family = findKindByMimeType(mimeType)?.family;
    if (family !== 'pdf' && family !== 'image' && family !== 'office') throw notAvailable(document, 'unsupported');
    if (document.status !== 'completed') throw notAvailable(document, 'not_processed');
    const words = await readRecognisedWords(db, document.id);
    if (words.pages === 0 && words.pagesWithoutPositions > 0) throw notAvailable(document, 'no_positions');
    const key = searchableKey(sha256, words.hash);
    const stored = await storage.stat(key);
    if (stored !== undefined) return { file: fileOf(stored) };
    const original = { key: documentKey(sha256), sizeBytes: document.sizeBytes, etag: `"${sha256}"` };
    const task = { document, sourceKey: original.key, mimeType, key, pages: words.pages };
    if (family === 'image') return task;
    if (family === 'office') {
      const rendition = await storage.stat(previewKey(sha256));
      if (rendition === undefined) throw notAvailable(document, 'no_rendition');
      return words.pages === 0 ? { file: fileOf(rendition) } : { ...task, sourceKey: rendition.key, mimeType: 'application/pdf' };
    }
    if (words.pages === 0) return { file: original };
    const found = await signatures.find(document, principal, signal);
    // with anything added to it a signature would not hold
    if (!found.ok) throw notAvailable(document, found.problem);
    return found.signatures.length > 0 ? { file: original } : task;
  }

  #begin(task: Omit<SearchableTask, 'onProgress'>, principal: Principal): Making | undefined {
    if (this.#making.size >= MAX_MAKING || this.#stopping.signal.aborted) return undefined;
    const { signal } = this.#stopping;
    const onProgress = (share: number): void => {
      making.progress = share;
    };
    const done = this.#parts.slots.run(principal, signal, () => makeStoredSearchablePdf(this.#parts, { ...task, onProgress }, signal));
    const making: Making = { done, progress: 0, hasEnded: false };
    this.#making.set(task.key, making);
    const end = (): void => {
      making.hasEnded = true;
      setTimeout(() => this.#forget(task.key, making), OUTCOME_MS).unref();
    };
    done.then(end, end);
    return making;
  }

  #forget(key: string, making: Making): void {
    if (this.#making.get(key) === making) this.#making.delete(key);
  }
}

const fileOf = ({ key, sizeBytes, modifiedAt }: StoredObject): SearchableFile => ({
  key,
  sizeBytes,
  etag: `"${key.slice(key.lastIndexOf('/') + 1)}-${modifiedAt.getTime().toString(36)}"`,
});

const until = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
