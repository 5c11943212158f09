import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Tests that only `npm run test:full` runs. */
const FULL_ONLY = /\.full\.test\.ts$/;

const isPattern = (name: string): boolean => name.includes('*') || name.endsWith('.ts');

const testsBelow = (folder: string): string => `${folder.replace(/\/$/, '')}/**/*.test.ts`;

/** The folders of tests that the README of a part names: several packages share one. */
const foldersOfReadme = (root: string, part: string): string[] => {
  const path = ['packages', 'apps'].map((parent) => join(root, parent, part, 'README.md')).find(existsSync);
  const [line = ''] = path === undefined ? [] : (/^Tests: .*$/m.exec(readFileSync(path, 'utf8')) ?? []);
  return [...line.matchAll(/`(tests\/[^`]+)`/g)].map(([, folder = '']) => folder);
};

/**
 * What a name stands for, the first of these that has tests: `packages/search` and `search` for the unit and integration tests of that
 * part, or those that its README names; a folder for its tests.
 */
const patternsOf = (root: string, name: string): string[][] => {
  if (isPattern(name)) return [[name]];
  if (name.startsWith('tests/')) return [[testsBelow(name)]];
  const part = name.replace(/^(?:packages|apps)\//, '').replace(/\/$/, '');
  return [[testsBelow(`tests/{unit,integration}/${part}`)], foldersOfReadme(root, part).map(testsBelow)];
};

/** All test files below `root`; without `isFull` those of the usual run. */
export const listTests = (root: string, isFull: boolean): string[] =>
  globSync('tests/{unit,integration,spec,e2e,faults}/**/*.test.ts', { cwd: root }).filter((file) => isFull || !FULL_ONLY.test(file));

/** Of `files`, those that the names ask for. Fails for a name without tests. */
export const namedTests = (root: string, files: readonly string[], names: readonly string[]): string[] => {
  const asked = names.flatMap((name) => {
    const found = patternsOf(root, name)
      .map((patterns) => globSync(patterns, { cwd: root }).filter((file) => files.includes(file)))
      .find((some) => some.length > 0);
    if (found === undefined) throw new Error(`No tests match "${name}". Name a package (packages/search), a folder or a pattern of tests.`);
    return found;
  });
  return [...new Set(asked)];
};
