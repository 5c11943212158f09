import { execFileSync } from 'node:child_process';
import { ImportGraph } from '../structure/import-graph.ts';
import { PRODUCTION, readSources, TESTS } from '../structure/source-file.ts';

const git = (root: string, ...args: string[]): string[] =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');

/** Files that differ from where this branch left `base`, with those that git does not know yet. */
const changedFiles = (root: string, base: string): string[] => {
  const [start = base] = git(root, 'merge-base', base, 'HEAD');
  return [
    ...new Set([...git(root, 'diff', '--name-only', '--diff-filter=d', start), ...git(root, 'ls-files', '--others', '--exclude-standard')]),
  ];
};

/** Of `tests`, those that changed or import a changed file, and the changed files that no import leads to. */
export const selectChanged = (root: string, base: string, tests: readonly string[]): { tests: string[]; outside: string[] } => {
  const graph = new ImportGraph(root, readSources(root, [PRODUCTION, TESTS]));
  const changed = changedFiles(root, base);
  const reached = graph.importersOf(changed);
  return { tests: tests.filter((file) => reached.has(file)), outside: changed.filter((file) => !graph.has(file)) };
};
