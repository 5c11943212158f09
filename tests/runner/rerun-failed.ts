import { type AvaRun, runAva } from './ava.ts';
import { titlePrefixOf } from './titles.ts';

/** More failed files than these are no matter of a busy machine. */
const MAX_FILES = 3;

/** The files of `files` in which tests failed; undefined where something failed that is no test, such as a process that ended. */
export const failedFiles = (
  files: readonly string[],
  { failedTitles, totals }: Pick<AvaRun, 'failedTitles' | 'totals'>,
): readonly string[] | undefined => {
  if (failedTitles.length !== totals.failed) return undefined;
  const named = failedTitles.map((title) => files.find((file) => title.startsWith(titlePrefixOf(file))));
  return named.includes(undefined) ? undefined : [...new Set(named.filter((file) => file !== undefined))];
};

/** What both runs together say: what failed in the first and not in the second has passed. */
export const withSecondRun = (first: AvaRun, second: AvaRun): AvaRun => {
  const failed = second.exitCode === 0 ? 0 : Math.max(1, second.totals.failed);
  const passed = first.totals.passed + Math.max(0, first.totals.failed - failed);
  return { ...second, totals: { ...first.totals, passed, failed } };
};

/**
 * Runs the files that failed once more, one after the other with nothing beside them, and says so: a test that passes alone and fails
 * among others has met the limits of a busy machine or shares something with another test. Returns what both runs together say. More
 * than MAX_FILES failed files are not run again.
 */
export const rerunFailed = async (
  files: readonly string[],
  first: AvaRun,
  environment: Readonly<Record<string, string>>,
): Promise<AvaRun> => {
  if (first.exitCode === 0) return first;
  const failed = failedFiles(files, first);
  if (failed === undefined || failed.length === 0 || failed.length > MAX_FILES) return first;
  const names = failed.join(', ');
  process.stdout.write(`\nRunning again, alone, what failed: ${names}\n`);
  const second = await runAva(
    failed.map((file) => [file]),
    environment,
    { concurrency: 1 },
  );
  if (second.exitCode === 0)
    process.stdout.write(`\nFailed among others and passed alone: ${names}. Such a test has a defect of its own: mend it.\n`);
  return withSecondRun(first, second);
};
