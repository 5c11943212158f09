// What may import what is refused by the linter, with the configuration of this repository.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';

const ROOT = join(import.meta.dirname, '../../..');

interface Trial {
  readonly part: string;
  readonly line: string;
}

/** Of sources in some part with one line each, those that the linter refuses. It runs once for all of them. */
const refusedOf = (trials: readonly Trial[]): readonly Trial[] => {
  const folders = trials.map(({ part }) => mkdtempSync(join(ROOT, part, 'src/lint-trial-')));
  try {
    const files = folders.map((folder) => join(folder, 'trial.ts'));
    for (const [at, file] of files.entries()) writeFileSync(file, `${trials[at]?.line}\n`);
    const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['-f', 'unix', ...files], { cwd: ROOT, encoding: 'utf8' });
    const lines = stdout.split('\n').filter((line) => line.includes('no-restricted-imports'));
    return trials.filter((_, at) => lines.some((line) => line.includes(basename(folders[at] ?? ''))));
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
};

const checkRefused = (t: ExecutionContext, refused: readonly Trial[], allowed: readonly Trial[]): void => {
  t.deepEqual(refusedOf([...refused, ...allowed]), refused);
};

const of = (part: string, line: string): Trial => ({ part, line });

test('a path into another part and the entries that belong to one part alone are refused', (t) => {
  checkRefused(
    t,
    [
      of('packages/db', `export { openStorage } from '../../../storage/src/storage.ts';`),
      of('apps/sync', `export { makeThumbnails } from '@sheaf/extraction/thumbnail';`),
      of('apps/api', `export { Extractor } from '@sheaf/extraction';`),
      of('apps/api', `export { sql } from '@sheaf/db/drizzle';`),
      of('packages/ingest', `export { readMultistatus } from '@sheaf/sources/testing/webdav';`),
      of('apps/api', `export { nearWords } from '@sheaf/search/testing';`),
    ],
    [
      of('apps/api', `export { makeThumbnails } from '@sheaf/extraction/thumbnail';`),
      of('packages/search', `export { sql } from '@sheaf/db/drizzle';`),
    ],
  );
});

test('nothing but packages/db makes connections to the database', (t) => {
  checkRefused(
    t,
    [of('packages/search', `import { Pool } from 'pg';\nexport const pool = new Pool();`)],
    [of('packages/search', `export type { Pool } from 'pg';`)],
  );
});

test('what is composed does not read the configuration by itself', (t) => {
  const line = `import { loadConfig } from '@sheaf/config';\nexport const { config } = loadConfig();`;
  checkRefused(
    t,
    [of('apps/sync', line), of('apps/api', line), of('packages/search', line)],
    [of('apps/sync', `export type { Config } from '@sheaf/config';`)],
  );
});

test('nothing of the packages goes to browsers but types', (t) => {
  checkRefused(
    t,
    [of('apps/web', `export { INTERFACE } from '@sheaf/contract/interface';`), of('apps/web', `export { z } from 'zod';`)],
    [of('apps/web', `export type { EventType } from '@sheaf/contract';`)],
  );
});
