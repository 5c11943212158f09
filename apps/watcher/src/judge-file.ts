import { ledgerReason } from '@sheaf/contract/imports';
import { refuseBytes, refuseType } from '@sheaf/ingest';
import type { NamePatterns, WatchedFile } from '@sheaf/storage/folders';
import type { LedgerReason, LedgerReasonCode } from '@sheaf/vocabulary/ledger-reasons';

export interface FileRules {
  readonly patterns: NamePatterns;
  readonly allowedExtensions: readonly string[];
  readonly maxBytes: number;
  /** 0 takes files of any age. */
  readonly maxAgeMs: number;
}

/** Whether a file that was refused for its age is young enough now: a wrong clock made it so, or another limit. */
export const isYoungAgain = (file: WatchedFile, reason: LedgerReasonCode | null, rules: FileRules, now: Date): boolean =>
  reason === 'too_old' && refuseAge(file, rules, now) === undefined;

/**
 * Why a file is not for us, judged without opening it; undefined when it is worth a closer look. Final until the file
 * changes, but for its age. `waits` says that it was already found young enough and has only waited since.
 */
export const refuseListed = (file: WatchedFile, rules: FileRules, now: Date, waits: boolean): LedgerReason | undefined =>
  refuseSort(file) ?? refuseName(file, rules) ?? refuseSize(file, rules) ?? (waits ? undefined : refuseAge(file, rules, now));

const refuseSort = ({ sort }: WatchedFile): LedgerReason | undefined => {
  switch (sort) {
    case 'file':
      return undefined;
    case 'symlink':
      return ledgerReason('symbolic_link');
    case 'hardlink':
      return ledgerReason('hard_link');
    case 'other':
      return ledgerReason('not_a_file');
  }
};

const refuseName = ({ path, name }: WatchedFile, { patterns, allowedExtensions }: FileRules): LedgerReason | undefined => {
  const ignoring = patterns.findIgnoring(path);
  if (ignoring !== undefined) return ledgerReason('ignored_name', { pattern: ignoring });
  if (!patterns.isWanted(path)) return ledgerReason('unwanted_name');
  return refuseType(name, allowedExtensions);
};

const refuseSize = ({ facts }: WatchedFile, { maxBytes }: FileRules): LedgerReason | undefined => refuseBytes(facts.sizeBytes, maxBytes);

// Choice: the age of a file is the time since its last modification, and 0 hours mean no limit.
const refuseAge = ({ facts }: WatchedFile, { maxAgeMs }: FileRules, now: Date): LedgerReason | undefined =>
  maxAgeMs > 0 && now.getTime() - facts.modifiedMs > maxAgeMs
    ? ledgerReason('too_old', {
        modified_at: new Date(facts.modifiedMs).toISOString(),
        max_age_seconds: maxAgeMs / 1_000,
      })
    : undefined;
