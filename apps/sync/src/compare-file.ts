import { ledgerReason } from '@sheaf/contract/imports';
import type { SourceFile } from '@sheaf/db/schema';
import { refuseBytes, refuseType } from '@sheaf/ingest';
import { isSameTag, type RemoteFile } from '@sheaf/sources';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';

/** A file that is to be fetched. */
export interface PendingFile {
  readonly file: RemoteFile;
  /** Its name in the ledger. */
  readonly path: string;
  /** What was known of it. */
  readonly known: SourceFile | undefined;
  /** It was being imported when the process crashed, and comes when all others are done. */
  readonly isSuspect: boolean;
}

/**
 * The files that wait to be fetched, while the listing goes on: a server gives up when it has to wait for downloads. So many and
 * no more; those beyond are left to another listing.
 */
export class PendingFiles {
  readonly #capacity: number;
  #files: PendingFile[] = [];
  #suspects: PendingFile[] = [];
  #taken = 0;
  #hasEnded = false;
  #overflowed = false;
  #waiting: (() => void)[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Whether there were more files than fit. */
  get hasOverflowed(): boolean {
    return this.#overflowed;
  }

  /** False where there is no room: the file is not kept. */
  add(pending: PendingFile): boolean {
    if (this.#files.length - this.#taken + this.#suspects.length >= this.#capacity) {
      this.#overflowed = true;
      return false;
    }
    (pending.isSuspect ? this.#suspects : this.#files).push(pending);
    this.#wake();
    return true;
  }

  /** There will be no more. */
  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  /** Forgets what waits. */
  drop(): void {
    this.#files = [];
    this.#suspects = [];
    this.#taken = 0;
    this.end();
  }

  /** The next file, as soon as there is one, suspects after all others; undefined when there are no more. */
  async next(): Promise<PendingFile | undefined> {
    while (this.#taken === this.#files.length) {
      if (this.#hasEnded) return this.#suspects.shift();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const file = this.#files[this.#taken];
    this.#taken += 1;
    this.#compact();
    return file;
  }

  /** `shift` of an array of many thousands is slow, and without any of it what was taken would stay in memory. */
  #compact(): void {
    if (this.#taken < 1_000) return;
    this.#files = this.#files.slice(this.#taken);
    this.#taken = 0;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

interface RemoteRules {
  readonly isWanted: (path: string) => boolean;
  /** Without dots, lower case. */
  readonly allowedExtensions: readonly string[];
  readonly maxBytes: number;
}

/** Why a file is not for us, judged without fetching it; undefined when it is worth that. */
const refuseListed = ({ path, sizeBytes }: RemoteFile, rules: RemoteRules): LedgerReason | undefined => {
  if (!rules.isWanted(path)) return ledgerReason('unwanted_name');
  const name = path.slice(path.lastIndexOf('/') + 1);
  return refuseType(name, rules.allowedExtensions) ?? refuseBytes(sizeBytes, rules.maxBytes);
};

/** What is to be done with a listed file. */
export type Verdict =
  | { readonly kind: 'fetch' }
  | { readonly kind: 'skip' }
  /** It is what it was, and is at the source again. */
  | { readonly kind: 'back' }
  | { readonly kind: 'ignore'; readonly reason: LedgerReason };

export interface Comparison {
  readonly rules: RemoteRules;
  readonly now: Date;
  /** When the run began: what was written of a file since then is of this very run. */
  readonly startedAt: Date;
  /** Files that failed are tried again whether it is time or not. */
  readonly isByHand: boolean;
}

/** Same as far as both sides say anything. */
const agrees = <T>(known: T | null, listed: T | undefined, isEqual: (a: T, b: T) => boolean = Object.is): boolean =>
  known === null || listed === undefined || isEqual(known, listed);

/** Whether the listing tells that the file is what is known of it. A size alone tells nothing. */
const isSame = ({ etag, sizeBytes, modifiedAt }: SourceFile, file: RemoteFile): boolean => {
  const [knownMs, listedMs] = [modifiedAt?.getTime() ?? null, file.modifiedAt?.getTime()];
  const hasEvidence = (etag !== null && file.etag !== undefined) || (knownMs !== null && listedMs !== undefined);
  return hasEvidence && agrees(etag, file.etag, isSameTag) && agrees(sizeBytes, file.sizeBytes) && agrees(knownMs, listedMs);
};

const SKIP: Verdict = { kind: 'skip' };

const judge = (file: RemoteFile, rules: RemoteRules): Verdict => {
  const reason = refuseListed(file, rules);
  return reason === undefined ? { kind: 'fetch' } : { kind: 'ignore', reason };
};

/** Compares a listed file with what is known of it. */
export const compareFile = (file: RemoteFile, known: SourceFile | undefined, comparison: Comparison): Verdict => {
  if (known === undefined) return judge(file, comparison.rules);
  const same = isSame(known, file);
  const isBack = known.removedAt !== null;
  switch (known.state) {
    case 'waiting':
      return judge(file, comparison.rules);
    case 'ignored':
      return compareIgnored(file, known, same && !isBack, comparison);
    case 'failed':
      return same && mustWait(known, comparison) ? SKIP : judge(file, comparison.rules);
    case 'ingested':
    case 'duplicate':
      if (same) return isBack ? { kind: 'back' } : SKIP;
      return mustWait(known, comparison) ? SKIP : judge(file, comparison.rules);
  }
};

/** What was refused by its contents is not opened again until it changes; what was refused by its name, when the rules change. */
const compareIgnored = (file: RemoteFile, known: SourceFile, same: boolean, { rules }: Comparison): Verdict => {
  if (same && known.attempts > 0) return SKIP;
  const verdict = judge(file, rules);
  const isRefusedAlready = known.attempts === 0 && known.removedAt === null;
  return verdict.kind === 'ignore' && isRefusedAlready ? SKIP : verdict;
};

const mustWait = (known: SourceFile, { now, startedAt, isByHand }: Comparison): boolean => {
  const { attempts, nextAttemptAt, updatedAt } = known;
  if (attempts === 0 || nextAttemptAt === null) return false;
  return updatedAt >= startedAt || (!isByHand && nextAttemptAt > now);
};

/** As what a file counts that is not looked at again: this very run may have dealt with it, before it was stopped. */
export const outcomeOfSkipped = (
  { state, attempts, nextAttemptAt, createdAt, updatedAt }: SourceFile,
  startedAt: Date,
): 'added' | 'updated' | 'failed' | 'skipped' => {
  if (updatedAt < startedAt) return 'skipped';
  if (attempts > 0 && nextAttemptAt !== null) return 'failed';
  if (state !== 'ingested') return 'skipped';
  return createdAt >= startedAt ? 'added' : 'updated';
};
