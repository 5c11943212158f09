import { extensionOf, findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import { type LedgerReason, ledgerReason } from '@sheaf/vocabulary/ledger-reasons';

/** Why a file is not for us by the end of its name, judged before it is opened; undefined when it is worth that. */
export const refuseType = (name: string, allowed: readonly string[]): LedgerReason | undefined => {
  const extension = extensionOf(name);
  if (findKindByExtension(extension) === undefined) {
    const message = extension === '' ? 'file name without extension' : `unsupported file type .${extension}`;
    return ledgerReason('unknown_type', message, { extension });
  }
  return allowed.includes(extension)
    ? undefined
    : ledgerReason('type_not_allowed', `file type .${extension} not allowed`, { extension, allowed_types: allowed });
};

/** The same by its size, as far as that is known. */
export const refuseBytes = (sizeBytes: number | undefined, maxBytes: number): LedgerReason | undefined =>
  sizeBytes !== undefined && sizeBytes > maxBytes
    ? ledgerReason('too_large', `exceeds the size limit of ${Math.round(maxBytes / 1024 ** 2)} MB`, { max_bytes: maxBytes })
    : undefined;
