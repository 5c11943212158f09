import type { Db } from '@sheaf/db';

/** One thing that is not as it should be. */
export interface Difference {
  /** What is damaged, such as `document 0190...`. */
  readonly subject: string;
  /** How, in a few words that stay the same. */
  readonly finding: string;
  /** It is there after an upgrade, and ends by itself: no damage. */
  readonly isRenewed?: boolean;
  /** Mends it. May be called while the service runs. */
  readonly repair: () => Promise<void>;
}

/** How far a check is, for a person who waits; without a total where counting would take as long. */
export type Progress = (done: number, total?: number) => void;

/** Compares two things that must agree. New ones are listed in checks.ts. */
export interface Check {
  /** Begins each line of output about it. */
  readonly name: string;
  readonly find: (db: Db, progress: Progress) => AsyncIterable<Difference>;
}
