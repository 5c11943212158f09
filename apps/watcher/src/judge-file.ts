import type { NamePatterns, WatchedFile } from '@sheaf/file-tree';
import { refuseBytes, refuseType } from '@sheaf/ingest';
import { type LedgerReason, ledgerReason } from '@sheaf/vocabulary/ledger-reasons';

export interface FileRules {
  readonly patterns: NamePatterns;
  readonly allowedExtensions: readonly string[];
  readonly maxBytes: number;
  /** 0 takes files of any age. */
  readonly maxAgeMs: number;
}

/** Not final, unlike the others: removing the other name changes nothing that the ledger keeps of a file. */
export const HARD_LINK_REASON = ledgerReason('hard_link', 'hard links are not imported; replace it with a copy');

/** How the reason of a file begins that is too old. Not final either: a wrong clock made it so, or another limit. */
const AGE_REASON = 'last modified ';

/** Whether a file that was refused for its age for this reason is young enough now. */
export const isYoungAgain = (file: WatchedFile, reason: string | null, rules: FileRules, now: Date): boolean =>
  reason?.startsWith(AGE_REASON) === true && refuseAge(file, rules, now) === undefined;

/**
 * Why a file is not for us, judged without opening it; undefined when it is worth a closer look. Final until the file
 * changes, but for its age. `waits` says that it was already found young enough and has only waited since.
 */
export const refuseAtSight = (file: WatchedFile, rules: FileRules, now: Date, waits: boolean): LedgerReason | undefined =>
  refuseSort(file) ?? refuseName(file, rules) ?? refuseSize(file, rules) ?? (waits ? undefined : refuseAge(file, rules, now));

const refuseSort = ({ sort }: WatchedFile): LedgerReason | undefined => {
  switch (sort) {
    case 'file':
      return undefined;
    case 'symlink':
      return ledgerReason('symbolic_link', 'symbolic links are not followed; replace it with the file');
    case 'hardlink':
      return HARD_LINK_REASON;
    case 'other':
      return ledgerReason('not_a_file', 'not a regular file');
  }
};

const refuseName = ({ path, name }: WatchedFile, { patterns, allowedExtensions }: FileRules): LedgerReason | undefined => {
  const ignoring = patterns.findIgnoring(path);
  if (ignoring !== undefined) return ledgerReason('ignored_name', `its name matches the ignore pattern ${ignoring}`, { pattern: ignoring });
  if (!patterns.isWanted(path)) return ledgerReason('unwanted_name', 'its name matches no file pattern');
  return refuseType(name, allowedExtensions);
};

const refuseSize = ({ facts }: WatchedFile, { maxBytes }: FileRules): LedgerReason | undefined => refuseBytes(facts.sizeBytes, maxBytes);

// Choice: the age of a file is the time since its last modification, and 0 hours mean no limit.
const refuseAge = ({ facts }: WatchedFile, { maxAgeMs }: FileRules, now: Date): LedgerReason | undefined =>
  maxAgeMs > 0 && now.getTime() - facts.modifiedMs > maxAgeMs
    ? ledgerReason('too_old', `${AGE_REASON}${new Date(facts.modifiedMs).toISOString()}, more than ${maxAgeMs / 3_600_000} hours ago`, {
        modified_at: new Date(facts.modifiedMs).toISOString(),
        max_age_seconds: maxAgeMs / 1_000,
      })
    : undefined;
