import { type LedgerReason, ledgerReason } from '@sheaf/contract';
import { refuseBytes, refuseType } from '@sheaf/ingest';
import type { RemoteFile } from '@sheaf/sources';

export interface RemoteRules {
  readonly isWanted: (path: string) => boolean;
  /** Without dots, lower case. */
  readonly allowedExtensions: readonly string[];
  readonly maxBytes: number;
}

/** Why a file is not for us, judged without fetching it; undefined when it is worth that. */
export const refuseAtSight = ({ path, sizeBytes }: RemoteFile, rules: RemoteRules): LedgerReason | undefined => {
  if (!rules.isWanted(path)) return ledgerReason('unwanted_name', 'its name matches no file pattern of the source');
  const name = path.slice(path.lastIndexOf('/') + 1);
  return refuseType(name, rules.allowedExtensions) ?? refuseBytes(sizeBytes, rules.maxBytes);
};
