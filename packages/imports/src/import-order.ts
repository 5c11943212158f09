import type { NotImported } from './report.ts';

/** What files may be. */
export interface FileLimits {
  readonly maxBytes: number;
  readonly allowedExtensions: readonly string[];
}

/** Hears how far an import is. */
export interface ImportProgress {
  begin(documents: number): void;
  reach(documents: number): void;
  /** All documents are there; what belongs to them is still to come. */
  finish?(): void;
  left(what: NotImported): void;
}
