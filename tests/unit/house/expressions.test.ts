// Expressions that backtrack are refused by the linter, with the configuration of this repository.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

const ROOT = join(import.meta.dirname, '../../..');

/** What the linter has against a production source with `expression` in it. */
const lint = (expression: string): string => {
  const folder = mkdtempSync(join(ROOT, 'packages/contract/lint-trial-'));
  try {
    const file = join(folder, 'trial.ts');
    writeFileSync(file, `export const trial = ${expression};\n`);
    return execFileSync(join(ROOT, 'node_modules/.bin/oxlint'), ['-f', 'unix', file], { cwd: ROOT, encoding: 'utf8' });
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

test('an expression that takes more than linear time is refused', (t) => {
  t.regex(lint('/^(a+)+$/'), /no-super-linear-backtracking/);
  t.regex(lint(String.raw`/^\s*(\d*)\s*-$/`), /no-super-linear-backtracking/);
  t.regex(lint(String.raw`/\s+$/`), /no-super-linear-move/);
  t.notRegex(lint(String.raw`/^\s*\d+$/`), /no-super-linear/);
});
