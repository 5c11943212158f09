import { weightOf } from '../weights.ts';

/** A process that runs for longer would leave the other cores without work at the end of a run. */
const MAX_GROUP_SECONDS = 60;
const MAX_GROUP_FILES = 25;

/** Files of one kind: those of a folder below `tests` load about the same modules. */
const kindOf = (file: string): string => file.split('/').slice(0, 2).join('/');

interface Group {
  readonly kind: string;
  readonly files: string[];
  seconds: number;
}

/** Files that run in one process, neighbours in the tree; the groups that take longest come first. Every file is in exactly one group. */
export const groupsOf = (files: readonly string[]): string[][] => {
  const groups: Group[] = [];
  for (const file of files.toSorted()) {
    const kind = kindOf(file);
    const seconds = weightOf(file);
    const last = groups.at(-1);
    const isFitting =
      last !== undefined && last.kind === kind && last.files.length < MAX_GROUP_FILES && last.seconds + seconds <= MAX_GROUP_SECONDS;
    if (isFitting) {
      last.files.push(file);
      last.seconds += seconds;
    } else groups.push({ kind, files: [file], seconds });
  }
  return groups.toSorted((a, b) => b.seconds - a.seconds).map((group) => group.files);
};
