import { mkdtempDisposable } from 'node:fs/promises';
import { join } from 'node:path';
import type { FixedConfig } from '@sheaf/config';
import type { LabelledDocument } from '@sheaf/documents';
import { type PdfSignatures, readSignatures } from '@sheaf/extraction/searchable';
import type { FairSlots } from '@sheaf/extraction/thumbnail';
import { makeFolder } from '@sheaf/machine';
import type { CacheArea, MemoryCache } from '@sheaf/process';
import { documentKey, type Storage } from '@sheaf/storage';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { Principal } from '@sheaf/vocabulary/permissions';

const SIGNATURES: CacheArea<PdfSignatures> = { name: 'signatures', sizeOf: (found) => JSON.stringify(found).length };
const NONE: PdfSignatures = { ok: true, signatures: [] };

interface Parts {
  readonly config: Pick<FixedConfig, 'storage' | 'ocr'>;
  readonly storage: Storage;
  readonly cache: MemoryCache;
  /** Files are looked into in these, so many at a time. */
  readonly slots: FairSlots;
}

/** The signatures in the files of documents. */
export class DocumentSignatures {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** None where the document is no PDF. */
  find({ sha256, mimeType }: LabelledDocument, principal: Principal, signal?: AbortSignal): Promise<PdfSignatures> {
    if (findKindByMimeType(mimeType)?.family !== 'pdf') return Promise.resolve(NONE);
    const { cache, slots } = this.#parts;
    return cache.get(SIGNATURES, sha256, (looking) => slots.run(principal, looking, () => this.#read(sha256, looking)), signal);
  }

  async #read(sha256: string, signal: AbortSignal): Promise<PdfSignatures> {
    const { config, storage } = this.#parts;
    await makeFolder(config.storage.tempPath);
    await using scratch = await mkdtempDisposable(join(config.storage.tempPath, 'signatures-'));
    const path = await storage.localPath(documentKey(sha256), scratch.path);
    return await readSignatures({ path, scratchPath: scratch.path, limits: config.ocr.limits, signal });
  }
}
