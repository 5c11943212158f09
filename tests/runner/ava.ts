import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { checkAvaVersion } from './ava-version.ts';
import { withoutGroup, writeGroupFiles } from './groups/group-files.ts';

export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

export interface AvaRun {
  readonly exitCode: number;
  readonly totals: Totals;
  /** The titles of the tests that failed, with the parts of their file's path before them. */
  readonly failedTitles: readonly string[];
}

// One more than cores works while others wait for programs; more of them are no faster, and run into their limits
const CONCURRENCY = Math.max(2, availableParallelism()) + 1;

interface AvaOptions {
  /** Processes at the same time. */
  readonly concurrency?: number;
  /** Takes each line of the report; by default it is printed. */
  readonly write?: (line: string) => void;
}

/** The test of a group: it says only something where it fails. */
const GROUP_PASSED = /^\s+✔ all files ran(?: \(.*\))?$/;

/** What ava counts at the end has the tests of groups in it. */
const COUNT_WITH_GROUPS = /^\s+\d+ tests? passed$/;

const ROOT = join(import.meta.dirname, '../..');

/**
 * Runs ava over `groups` of files in their order, each group in a process of its own; passes its report on and reads the totals at its
 * end.
 */
export const runAva = async (
  groups: readonly (readonly string[])[],
  environment: Readonly<Record<string, string>>,
  { concurrency = CONCURRENCY, write = (line) => void process.stdout.write(`${line}\n`) }: AvaOptions = {},
): Promise<AvaRun> => {
  checkAvaVersion();
  using written = writeGroupFiles(ROOT, groups);
  const ava = spawn(
    process.execPath,
    [join(import.meta.dirname, '../node_modules/ava/entrypoints/cli.js'), '--concurrency', String(concurrency), ...written.files],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...environment, SHEAF_TEST_ORDER: JSON.stringify(written.files) },
    },
  );
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 };
  const failedTitles: string[] = [];
  createInterface({ input: ava.stdout }).on('line', (line) => {
    const text = withoutGroup(stripVTControlCharacters(line));
    if (GROUP_PASSED.test(text) || COUNT_WITH_GROUPS.test(text)) return;
    write(text);
    // ava counts what passed only where nothing failed
    if (/^\s+✔ /.test(text)) totals.passed += 1;
    const [, failedTitle] = /^\s+✘ \[fail\]: (.*)$/.exec(text) ?? [];
    if (failedTitle !== undefined) failedTitles.push(failedTitle);
    const [, count = '', what] = /^\s+(\d+) (?:tests? |uncaught |unhandled )?(failed|skipped|exceptions?|rejections?)$/.exec(text) ?? [];
    if (what === 'skipped') totals.skipped = Number(count);
    else if (what !== undefined) totals.failed += Number(count);
  });
  return await new Promise((resolve) => ava.once('close', (code) => resolve({ exitCode: code ?? 1, totals, failedTitles })));
};
