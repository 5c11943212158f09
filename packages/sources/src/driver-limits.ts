/** What no listing may exceed. */
export interface DriverLimits {
  /** Files and refused entries together. */
  readonly maxEntries: number;
  readonly maxFolders: number;
  /** Folders from the root to a file. */
  readonly maxDepth: number;
  /** Of a path below the root, in UTF-8. */
  readonly maxPathBytes: number;
}

export const DEFAULT_DRIVER_LIMITS: DriverLimits = { maxEntries: 1_000_000, maxFolders: 100_000, maxDepth: 64, maxPathBytes: 4_096 };

/** Of one request, however slow the source is. Silence ends it much earlier: that is the guarded client's business. */
export const REQUEST_TIMEOUTS_MS = { check: 30_000, listing: 60 * 60_000, download: 6 * 60 * 60_000 } as const;
