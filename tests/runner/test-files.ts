import { globSync } from 'node:fs';

/** Tests that only `npm run test:full` runs. */
const FULL_ONLY = /\.full\.test\.ts$/;

const isPattern = (name: string): boolean => name.includes('*') || name.endsWith('.ts');

/** What a name stands for: `packages/search` and `search` for the unit and integration tests of that part, a folder for its tests. */
const patternsOf = (name: string): string[] => {
  if (isPattern(name)) return [name];
  if (name.startsWith('tests/')) return [`${name.replace(/\/$/, '')}/**/*.test.ts`];
  const part = name.replace(/^(?:packages|apps)\//, '').replace(/\/$/, '');
  return [`tests/{unit,integration}/${part}/**/*.test.ts`];
};

/** All test files below `root`; without `isFull` those of the usual run. */
export const listTests = (root: string, isFull: boolean): string[] =>
  globSync('tests/{unit,integration,spec,e2e,faults}/**/*.test.ts', { cwd: root }).filter((file) => isFull || !FULL_ONLY.test(file));

/** Of `files`, those that the names ask for. Fails for a name without tests. */
export const namedTests = (root: string, files: readonly string[], names: readonly string[]): string[] => {
  const asked = names.flatMap((name) => {
    const found = globSync(patternsOf(name), { cwd: root }).filter((file) => files.includes(file));
    if (found.length === 0) throw new Error(`No tests match "${name}". Name a package (packages/search), a folder or a pattern of tests.`);
    return found;
  });
  return [...new Set(asked)];
};
