// Runs tests: one PostgreSQL for all of them with a migrated template in it, then ava with the files that were asked for.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { CODE_CACHE_VARIABLE, FULL_RUN_VARIABLE, IMPORT_CACHE_VARIABLE, TEST_CLUSTER_VARIABLE } from '@sheaf/testkit';
import { runAva } from './runner/ava.ts';
import { selectChanged } from './runner/changed-tests.ts';
import { clusterFolder, startCluster } from './runner/cluster.ts';
import { openCodeCache } from './runner/code-cache.ts';
import { groupsOf } from './runner/groups/groups.ts';
import { describeProfile, readProfile } from './runner/profile.ts';
import { rerunFailed } from './runner/rerun-failed.ts';
import { listTests, namedTests } from './runner/test-files.ts';
import { saveWeights, shardOf } from './runner/weights.ts';

const ROOT = join(import.meta.dirname, '..');
const USAGE = `Usage: node tests/run.ts [options] [packages/NAME | folder | pattern ...]

  --check          first run all checks (types, lint, format, dead code), unless tests were named; with --shard only in part 1
  --full           also the tests and the cases of tests that only the full run has
  --changed        only unit and integration tests that changed or import a changed file (compared with main)
  --since REF      compare with REF instead of main
  --shard I/N      only part I of N parts that take about as long as each other
  --list           print the files, run nothing
  --profile        print what CPU time each file took
  --save-weights   with --profile: record it in tests/runner/weights.json, by which files are ordered and sharded
`;

/** What `read` returns. What the person asked for and does not exist ends the program with one line instead of a stack. */
const orExit = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
};

const { values, positionals } = orExit(() =>
  parseArgs({
    allowPositionals: true,
    options: {
      check: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      changed: { type: 'boolean', default: false },
      since: { type: 'string', default: 'main' },
      shard: { type: 'string', default: '1/1' },
      list: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      'save-weights': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }),
);

const INNER_LOOP = /^tests\/(?:unit|integration)\//;

const isCheckWanted = values.check && positionals.length === 0;

const parseShard = (text: string): { index: number; count: number } => {
  const [, index = 0, count = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (index < 1 || index > count) throw new Error(`--shard ${text} is not a part such as 1/2`);
  return { index, count };
};

const shard = orExit(() => parseShard(values.shard));

const selectFiles = (all: readonly string[]): string[] => {
  let files = positionals.length === 0 ? [...all] : namedTests(ROOT, all, positionals);
  if (values.changed) {
    const { tests, outside } = selectChanged(ROOT, values.since, files);
    files = tests.filter((file) => INNER_LOOP.test(file));
    if (outside.length > 0)
      process.stderr.write(`No import leads to these changed files, so no test runs for them: ${outside.join(', ')}\n`);
    if (tests.length > files.length)
      process.stderr.write(`${tests.length - files.length} tests of the whole service are left to npm test\n`);
  }
  return shardOf(files, { ...shard, isChecking: isCheckWanted });
};

const runChecks = (): boolean => spawnSync('npm', ['run', '--silent', 'check'], { cwd: ROOT, stdio: 'inherit' }).status === 0;

/** Makes all processes of the run share what their imports lead to, in the file at `path`. */
const importCacheEnvironment = (path: string): Record<string, string> => ({
  [IMPORT_CACHE_VARIABLE]: path,
  NODE_OPTIONS:
    `${process.env['NODE_OPTIONS'] ?? ''} --import=${pathToFileURL(join(import.meta.dirname, 'runner/import-cache.js')).href}`.trimStart(),
});

const runTests = async (files: readonly string[]): Promise<number> => {
  const codeCache = await openCodeCache(ROOT);
  const runFolder = await mkdtemp(join(tmpdir(), 'sheaf-test-run-'));
  const profilePath = join(runFolder, 'profile.jsonl');
  try {
    await using cluster = await startCluster({}, await clusterFolder());
    const environment = {
      [TEST_CLUSTER_VARIABLE]: cluster.url,
      [CODE_CACHE_VARIABLE]: codeCache,
      ...importCacheEnvironment(join(runFolder, 'imports.jsonl')),
      ...(values.full ? { [FULL_RUN_VARIABLE]: 'yes' } : {}),
      ...(values.profile ? { SHEAF_TEST_PROFILE: profilePath } : {}),
    };
    const first = await runAva(groupsOf(files), environment);
    // who names files wants to see them fail
    const { exitCode, totals } = positionals.length === 0 ? await rerunFailed(files, first, environment) : first;
    if (values.profile) {
      const costs = await readProfile(profilePath);
      process.stdout.write(`\n${describeProfile(costs)}`);
      if (values['save-weights'])
        saveWeights(new Map(costs.map(({ file, self, children }) => [file, self + children])), listTests(ROOT, true));
    }
    process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
    return exitCode;
  } finally {
    await rm(runFolder, { recursive: true, force: true });
  }
};

if (values.help) process.stdout.write(USAGE);
else {
  const all = listTests(ROOT, values.full);
  const files = orExit(() => selectFiles(all));
  if (values.list) process.stdout.write(files.map((file) => `${file}\n`).join(''));
  else if (files.length === 0) process.stdout.write('No tests to run\n');
  else if (isCheckWanted && shard.index === 1 && !runChecks()) process.exitCode = 1;
  else process.exitCode = await runTests(files);
}
