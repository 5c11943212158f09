import { ledgerReason } from '@sheaf/contract/imports';
import type { SourceFile } from '@sheaf/db/schema';
import { refuseBytes, refuseType } from '@sheaf/ingest';
import { isSameTag, type RemoteFile } from '@sheaf/sources';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';

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
