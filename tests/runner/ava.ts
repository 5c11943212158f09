import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';

interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

/** Runs ava over `files` in their order, passes its report on and reads the totals at its end. */
export const runAva = (
  files: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ exitCode: number; totals: Totals }> => {
  // Most files are busy all the time: more of them than cores are no faster, and run into their limits
  const concurrency = String(Math.max(2, availableParallelism()));
  const ava = spawn(
    process.execPath,
    [join(import.meta.dirname, '../node_modules/ava/entrypoints/cli.js'), '--concurrency', concurrency, ...files],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...environment, SHEAF_TEST_ORDER: JSON.stringify(files) },
    },
  );
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 };
  createInterface({ input: ava.stdout }).on('line', (line) => {
    process.stdout.write(`${line}\n`);
    const text = stripVTControlCharacters(line);
    // ava counts what passed only where nothing failed
    if (/^\s+✔ /.test(text)) totals.passed += 1;
    const [, count = '', what] = /^\s+(\d+) (?:tests? |uncaught |unhandled )?(failed|skipped|exceptions?|rejections?)$/.exec(text) ?? [];
    if (what === 'skipped') totals.skipped = Number(count);
    else if (what !== undefined) totals.failed += Number(count);
  });
  return new Promise((resolve) => ava.once('close', (code) => resolve({ exitCode: code ?? 1, totals })));
};
