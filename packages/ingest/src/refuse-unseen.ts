import { ledgerReason } from '@sheaf/contract/imports';
import { extensionOf, findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';

/** Why a file is not for us by the end of its name, judged before it is opened; undefined when it is worth that. */
export const refuseType = (name: string, allowed: readonly string[]): LedgerReason | undefined => {
  const extension = extensionOf(name);
  if (findKindByExtension(extension) === undefined) return ledgerReason('unknown_type', { extension });
  return allowed.includes(extension) ? undefined : ledgerReason('type_not_allowed', { extension, allowed_types: allowed });
};

/** The same by its size, as far as that is known. */
export const refuseBytes = (sizeBytes: number | undefined, maxBytes: number): LedgerReason | undefined =>
  sizeBytes !== undefined && sizeBytes > maxBytes ? ledgerReason('too_large', { max_bytes: maxBytes }) : undefined;
