import type { FixedConfig } from '@sheaf/config';
import { type AppError, codedError } from '@sheaf/contract';
import type { LabelledDocument } from '@sheaf/documents';
import type { PdfSignatures, SearchableProblem } from '@sheaf/extraction/searchable';
import type { FairSlots } from '@sheaf/extraction/thumbnail';
import { type CacheArea, type Component, type MemoryCache, untilAborted } from '@sheaf/process';
import {
  findSearchable,
  makeStoredSearchablePdf,
  type NoSearchable,
  readStoredSignatures,
  type SearchableFile,
  type SearchableParts,
  type SearchableTask,
} from '@sheaf/renditions';
import type { Storage } from '@sheaf/storage';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { Principal } from '@sheaf/vocabulary/permissions';

const SIGNATURES: CacheArea<PdfSignatures> = { name: 'signatures', sizeOf: (found) => JSON.stringify(found).length };
const NONE: PdfSignatures = { ok: true, signatures: [] };

interface SignatureParts {
  readonly config: Pick<FixedConfig, 'storage' | 'ocr'>;
  readonly storage: Storage;
  readonly cache: MemoryCache;
  /** Files are looked into in these, so many at a time. */
  readonly slots: FairSlots;
}

/** The signatures in the files of documents. */
export interface DocumentSignatures {
  /** None where the document is no PDF. */
  find(document: LabelledDocument, principal: Principal, signal?: AbortSignal): Promise<PdfSignatures>;
}

export const makeDocumentSignatures = ({ cache, slots, ...files }: SignatureParts): DocumentSignatures => ({
  find: async ({ sha256, mimeType }, principal, signal) => {
    if (findKindByMimeType(mimeType)?.family !== 'pdf') return NONE;
    const read = (looking: AbortSignal) => slots.run(principal, looking, () => readStoredSignatures(files, sha256, looking));
    return cache.get(SIGNATURES, sha256, read, signal);
  },
});

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

const notAvailable = ({ id, status, mimeType }: LabelledDocument, problem: NoSearchable): AppError =>
  codedError('NOT_FOUND', 'SEARCHABLE_PDF_NOT_AVAILABLE', { document_id: id, status, mime_type: mimeType, problem });

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

  /** What is being made is abandoned: it is made again for the next one who asks. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled([...this.#making.values()].map(({ done }) => done));
  }

  /**
   * The PDF, where it is there within `patienceMs`; else how far it is. It is made also for who does not wait. Throws
   * SEARCHABLE_PDF_NOT_AVAILABLE, and what the storage throws.
   */
  async find(document: LabelledDocument, principal: Principal, patienceMs: number, signal: AbortSignal): Promise<Searchable> {
    const readSignatures = () => this.#parts.signatures.find(document, principal, signal);
    const found = await findSearchable({ ...this.#parts, readSignatures }, document);
    if (found.kind === 'none') throw notAvailable(document, found.problem);
    if (found.kind === 'file') return found;
    const { task } = found;
    const making = this.#making.get(task.key) ?? this.#begin(task, principal);
    if (making === undefined) return { kind: 'making', progress: 0 };
    await Promise.race([making.done.catch(() => undefined), untilAborted(AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]))]);
    signal.throwIfAborted();
    if (!making.hasEnded) return { kind: 'making', progress: making.progress };
    this.#making.delete(task.key);
    const problem = await making.done;
    if (problem !== undefined) throw notAvailable(document, problem);
    const made = await findSearchable({ ...this.#parts, readSignatures }, document);
    return made.kind === 'file' ? made : { kind: 'making', progress: 0 };
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
