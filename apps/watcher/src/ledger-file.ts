import { toLedgerPath } from '@sheaf/ingest';
import type { WatchedFile } from '@sheaf/storage/folders';

/** A file below a watched root, as the ledger has it. */
export interface LedgerFile extends WatchedFile {
  /** Its path below the root, with the prefix of that root. */
  readonly ledgerPath: string;
}

/** Shortened without its prefix, so that a long path keeps its ending when the prefix becomes another one. */
export const toLedgerFile = (file: WatchedFile, ledgerPrefix: string): LedgerFile => ({
  ...file,
  ledgerPath: toLedgerPath(ledgerPrefix + toLedgerPath(file.path)),
});
