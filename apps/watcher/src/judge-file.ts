import { extensionOf, findKindByExtension } from '@sheaf/contract';
import type { NamePatterns, WatchedFile } from '@sheaf/file-tree';

export interface FileRules {
  readonly patterns: NamePatterns;
  readonly allowedExtensions: readonly string[];
  readonly maxBytes: number;
  /** 0 takes files of any age. */
  readonly maxAgeMs: number;
}

/** Not final, unlike the others: removing the other name changes nothing that the ledger keeps of a file. */
export const HARD_LINK_REASON = 'it has a second name somewhere (a hard link), so it may be the file of someone else; put a copy here';

/** How the reason of a file begins that is too old. Not final either: a wrong clock made it so, or another limit. */
const AGE_REASON = 'last modified ';

/** Whether a file that was refused for its age for this reason is young enough now. */
export const isYoungAgain = (file: WatchedFile, reason: string | null, rules: FileRules, now: Date): boolean =>
  reason?.startsWith(AGE_REASON) === true && refuseAge(file, rules, now) === undefined;

/**
 * Why a file is not for us, judged without opening it; undefined when it is worth a closer look. Final until the file
 * changes, but for its age. `waits` says that it was already found young enough and has only waited since.
 */
export const refuseAtSight = (file: WatchedFile, rules: FileRules, now: Date, waits: boolean): string | undefined =>
  refuseSort(file) ?? refuseName(file, rules) ?? refuseSize(file, rules) ?? (waits ? undefined : refuseAge(file, rules, now));

const refuseSort = ({ sort }: WatchedFile): string | undefined => {
  switch (sort) {
    case 'file':
      return undefined;
    case 'symlink':
      return 'a symbolic link is not followed; put the file itself here';
    case 'hardlink':
      return HARD_LINK_REASON;
    case 'other':
      return 'not a regular file';
  }
};

const refuseName = ({ path, name }: WatchedFile, { patterns, allowedExtensions }: FileRules): string | undefined => {
  const ignoring = patterns.findIgnoring(path);
  if (ignoring !== undefined) return `its name matches the ignore pattern ${ignoring}`;
  if (!patterns.isWanted(path)) return 'its name matches none of the watched patterns';
  const extension = extensionOf(name);
  if (findKindByExtension(extension) === undefined)
    return extension === '' ? 'its name has no extension that tells its type' : `files of the type .${extension} cannot be read`;
  return allowedExtensions.includes(extension) ? undefined : `files of the type .${extension} are not allowed`;
};

const refuseSize = ({ facts }: WatchedFile, { maxBytes }: FileRules): string | undefined =>
  facts.sizeBytes > maxBytes ? `larger than the limit of ${Math.round(maxBytes / 1024 ** 2)} MB` : undefined;

// Choice: the age of a file is the time since its last modification, and 0 hours mean no limit.
const refuseAge = ({ facts }: WatchedFile, { maxAgeMs }: FileRules, now: Date): string | undefined =>
  maxAgeMs > 0 && now.getTime() - facts.modifiedMs > maxAgeMs
    ? `${AGE_REASON}${new Date(facts.modifiedMs).toISOString()}, longer ago than ${maxAgeMs / 3_600_000} hours`
    : undefined;
