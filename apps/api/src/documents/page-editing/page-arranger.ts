import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtempDisposable, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FixedConfig } from '@sheaf/config';
import { type AppError, codedError } from '@sheaf/contract';
import type { LabelledDocument } from '@sheaf/documents';
import type { PlacedPage } from '@sheaf/documents/versions';
import { type ArrangeProblem, arrangePages } from '@sheaf/extraction/pages';
import type { FairSlots } from '@sheaf/extraction/thumbnail';
import { makeFolder } from '@sheaf/machine';
import type { Live } from '@sheaf/process';
import { documentKey, type Storage } from '@sheaf/storage';
import type { Principal } from '@sheaf/vocabulary/permissions';

interface Parts {
  readonly config: Pick<FixedConfig, 'storage' | 'ocr'>;
  readonly storage: Storage;
  /** Files are made in these, so many at a time. */
  readonly slots: FairSlots;
  readonly limits: Live<ArrangeLimits>;
}

/** Of each file that is made: a larger one could not be processed. */
export interface ArrangeLimits {
  readonly maxFileBytes: number;
  readonly maxPages: number;
}

/** A new PDF, which is safe in the storage, though no row refers to it. */
export interface ArrangedFile {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly key: string;
  readonly filePath: string;
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
   * Makes a PDF of each list of pages, all of them pages of `documents`, and stores it: the files are those that the documents have now.
   * Throws PAGES_NOT_EDITABLE, what the storage throws, and the signal's reason.
   */
  arrange(
    documents: readonly [LabelledDocument, ...LabelledDocument[]],
    lists: readonly (readonly PlacedPage[])[],
    principal: Principal,
    signal: AbortSignal,
  ): Promise<ArrangedFile[]> {
    const [edited] = documents;
    const { maxPages } = this.#parts.limits.current();
    if (lists.some((pages) => pages.length > maxPages)) throw notEditable(edited, 'too_many_pages');
    if (documents.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > MAX_SOURCE_BYTES) throw notEditable(edited, 'too_large');
    return this.#parts.slots.run(principal, signal, () => this.#make(documents, lists, signal));
  }

  async #make(
    documents: readonly [LabelledDocument, ...LabelledDocument[]],
    lists: readonly (readonly PlacedPage[])[],
    signal: AbortSignal,
  ): Promise<ArrangedFile[]> {
    const { config, storage } = this.#parts;
    await makeFolder(config.storage.tempPath);
    await using scratch = await mkdtempDisposable(join(config.storage.tempPath, 'pages-'));
    const files: { path: string; mimeType: string }[] = [];
    for (const [at, { sha256, mimeType }] of documents.entries()) {
      const ownPath = join(scratch.path, `source-${at}`); // two documents may have the same bytes
      await mkdir(ownPath);
      files.push({ path: await storage.localPath(documentKey(sha256), ownPath), mimeType });
      signal.throwIfAborted();
    }
    const fileOf = new Map(documents.map(({ id }, at) => [id, at]));
    const made = await arrangePages({
      files,
      documents: lists.map((pages) =>
        pages.map(({ documentId, page, rotateBy }) => ({ file: fileOf.get(documentId) ?? -1, page, rotateBy })),
      ),
      scratchPath: scratch.path,
      limits: config.ocr.limits,
      signal,
    });
    if (!made.ok) throw notEditable(documents[made.file ?? 0] ?? documents[0], made.problem);
    const stored: ArrangedFile[] = [];
    for (const path of made.paths) stored.push(await this.#store(path, documents[0], signal));
    return stored;
  }

  async #store(path: string, edited: LabelledDocument, signal: AbortSignal): Promise<ArrangedFile> {
    signal.throwIfAborted();
    const { storage, limits } = this.#parts;
    const { size: sizeBytes } = await stat(path);
    if (sizeBytes > limits.current().maxFileBytes) throw notEditable(edited, 'too_large');
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    const sha256 = hash.digest('hex');
    const key = documentKey(sha256);
    return { sha256, sizeBytes, key, filePath: (await storage.put(key, path)).path };
  }
}
