import type { OpenRoot } from '@sheaf/storage/folders';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';

/** One folder that is watched, with everything below it that counts as its. */
export interface WatchRoot {
  /** Absolute; it may be absent, and it is a folder by itself, no link. */
  readonly path: string;
  /** What stands before a path below the root in the ledger: empty, or the name of a user's directory and `/`. */
  readonly ledgerPrefix: string;
  /** Who owns what is found here, or why nobody does yet. */
  readonly owner: { readonly id: string } | { readonly missing: LedgerReason };
}

/** One that is there, for one scan. */
export type OpenWatchRoot = OpenRoot<WatchRoot>;

/** The roots as they are now; asked at the beginning of each scan. */
export type FindRoots = () => Promise<readonly WatchRoot[]>;
