import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FixedConfig } from '@sheaf/config';
import { type AppError, codedError } from '@sheaf/contract';
import type { LabelledDocument } from '@sheaf/documents';
import type { PlacedPage } from '@sheaf/documents/versions';
import { type ArrangeProblem, arrangePages } from '@sheaf/extraction/pages';
import type { PictureMaker } from '@sheaf/extraction/pictures';
import type { FairSlots } from '@sheaf/extraction/thumbnail';
import type { SplitPart } from '@sheaf/ingest/split';
import type { Live } from '@sheaf/process';
import { documentKey, type Storage, TempArea } from '@sheaf/storage';
import type { Principal } from '@sheaf/vocabulary/permissions';

interface Parts {
  readonly config: Pick<FixedConfig, 'storage'>;
  readonly storage: Storage;
  readonly pictures: PictureMaker;
  /** Files are made in these, so many at a time. */
  readonly slots: FairSlots;
  readonly limits: Live<ArrangeLimits>;
}

/** Of each file that is made: a larger one could not be processed. */
interface ArrangeLimits {
  readonly maxFileBytes: number;
  readonly maxPages: number;
}

/** The document whose pages are arranged, then those of which it gets some. */
export type SourceDocuments = readonly [LabelledDocument, ...LabelledDocument[]];

/** A PDF of arranged pages. */
export interface ArrangedPart extends SplitPart {
  readonly placed: readonly PlacedPage[];
}

interface ArrangeOrder {
  readonly documents: SourceDocuments;
  /** The pages of each file, all of them pages of `documents`. */
  readonly lists: readonly (readonly PlacedPage[])[];
  readonly principal: Principal;
  readonly signal: AbortSignal;
}

interface SourceFile {
  readonly path: string;
  readonly mimeType: string;
  /** As many as there are texts: an imported document may have fewer texts than pages. */
  readonly pageCount: number;
}

type Problem = ArrangeProblem | 'too_many_pages';

/** Copies of files in a network storage lie on the disk together while they are worked with. */
const MAX_SOURCE_BYTES = 4 * 1024 ** 3;

export const notEditable = ({ id, mimeType }: Pick<LabelledDocument, 'id' | 'mimeType'>, problem: Problem): AppError =>
  codedError('DUPLICATE_RESOURCE', 'PAGES_NOT_EDITABLE', { document_id: id, mime_type: mimeType, problem });

/** Makes PDFs of pages of stored files. */
export class PageArranger {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Makes a PDF of each list of pages, and answers what `use` makes of them; they are removed then. Throws PAGES_NOT_EDITABLE, what the storage
   * and `use` throw, and the signal's reason.
   */
  arrange<T>(order: ArrangeOrder, use: (parts: readonly ArrangedPart[]) => Promise<T>): Promise<T> {
    const { documents, lists, principal, signal } = order;
    const { maxPages } = this.#parts.limits.current();
    if (lists.some((pages) => pages.length > maxPages)) throw notEditable(documents[0], 'too_many_pages');
    if (documents.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > MAX_SOURCE_BYTES) throw notEditable(documents[0], 'too_large');
    return this.#parts.slots.run(principal, signal, () => this.#inScratch(order, use));
  }

  async #inScratch<T>(order: ArrangeOrder, use: (parts: readonly ArrangedPart[]) => Promise<T>): Promise<T> {
    await using scratch = await new TempArea(this.#parts.config.storage.tempPath).makeScratch('pages');
    return await use(await this.#make(order, scratch.path));
  }

  async #make({ documents, lists, signal }: ArrangeOrder, scratchPath: string): Promise<ArrangedPart[]> {
    const [edited] = documents;
    const fileOf = new Map(documents.map(({ id }, at) => [id, at]));
    const made = await arrangePages({
      files: await this.#copies(documents, scratchPath, signal),
      documents: lists.map((pages) =>
        pages.map(({ documentId, page, rotateBy }) => ({ file: fileOf.get(documentId) ?? -1, page, rotateBy })),
      ),
      scratchPath,
      pictures: this.#parts.pictures,
      signal,
    });
    if (!made.ok) throw notEditable(documents[made.file ?? 0] ?? edited, made.problem);
    const { maxFileBytes } = this.#parts.limits.current();
    for (const path of made.paths) if ((await stat(path)).size > maxFileBytes) throw notEditable(edited, 'too_large');
    return made.paths.map((path, at) => {
      const placed = lists[at] ?? [];
      return { path, placed, pages: placed.filter(({ documentId }) => documentId === edited.id).map(({ page }) => page) };
    });
  }

  async #copies(documents: SourceDocuments, scratchPath: string, signal: AbortSignal): Promise<SourceFile[]> {
    const files: SourceFile[] = [];
    for (const [at, { sha256, mimeType, pageCount }] of documents.entries()) {
      const ownPath = join(scratchPath, `source-${at + 1}`); // two documents may have the same content
      await mkdir(ownPath);
      files.push({ path: await this.#parts.storage.localPath(documentKey(sha256), ownPath), mimeType, pageCount: pageCount ?? 0 });
      signal.throwIfAborted();
    }
    return files;
  }
}
