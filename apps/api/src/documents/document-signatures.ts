import type { FixedConfig } from '@sheaf/config';
import type { LabelledDocument } from '@sheaf/documents';
import type { PdfSignatures } from '@sheaf/extraction/searchable';
import type { FairSlots } from '@sheaf/extraction/thumbnail';
import type { CacheArea, MemoryCache } from '@sheaf/process';
import { readStoredSignatures } from '@sheaf/renditions';
import type { Storage } from '@sheaf/storage';
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
export interface DocumentSignatures {
  /** None where the document is no PDF. */
  find(document: LabelledDocument, principal: Principal, signal?: AbortSignal): Promise<PdfSignatures>;
}

export const makeDocumentSignatures = ({ cache, slots, ...files }: Parts): DocumentSignatures => ({
  find: async ({ sha256, mimeType }, principal, signal) => {
    if (findKindByMimeType(mimeType)?.family !== 'pdf') return NONE;
    const read = (looking: AbortSignal) => slots.run(principal, looking, () => readStoredSignatures(files, sha256, looking));
    return cache.get(SIGNATURES, sha256, read, signal);
  },
});
