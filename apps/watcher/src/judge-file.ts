import { extensionOf, findKindByExtension } from '@sheaf/contract';
import type { NamePatterns } from './name-patterns.ts';
import type { WatchedFile } from './watched-file.ts';

export interface FileRules {
  readonly patterns: NamePatterns;
  readonly allowedExtensions: readonly string[];
  readonly maxBytes: number;
  /** 0 takes files of any age. */
  readonly maxAgeMs: number;
}

/**
 * Why a file is not for us, judged without opening it; undefined when it is worth a closer look. Final until the file
 * changes. `waits` says that it was already found young enough and has only waited since.
 */
export const refuseAtSight = (file: WatchedFile, rules: FileRules, now: Date, waits: boolean): string | undefined =>
  refuseSort(file) ?? refuseName(file, rules) ?? refuseSize(file, rules) ?? (waits ? undefined : refuseAge(file, rules, now));

const refuseSort = ({ sort }: WatchedFile): string | undefined => {
  switch (sort) {
    case 'file':
      return undefined;
    case 'symlink':
      return 'a symbolic link is not followed; put the file itself here';
    case 'other':
      return 'not a regular file';
  }
};

const refuseName = ({ ledgerPath, name }: WatchedFile, { patterns, allowedExtensions }: FileRules): string | undefined => {
  const ignoring = patterns.findIgnoring(ledgerPath);
  if (ignoring !== undefined) return `its name matches the ignore pattern ${ignoring}`;
  if (!patterns.isWanted(ledgerPath)) return 'its name matches none of the watched patterns';
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
    ? `last modified ${new Date(facts.modifiedMs).toISOString()}, longer ago than ${maxAgeMs / 3_600_000} hours`
    : undefined;
