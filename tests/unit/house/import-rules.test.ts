// What may import what is refused by the linter, with the configuration of this repository.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

const ROOT = join(import.meta.dirname, '../../..');

/** Whether the linter refuses a source in `part` with this line. */
const isRefused = (part: string, line: string): boolean => {
  const folder = mkdtempSync(join(ROOT, part, 'src/lint-trial-'));
  try {
    const file = join(folder, 'trial.ts');
    writeFileSync(file, `${line}\n`);
    execFileSync(join(ROOT, 'node_modules/.bin/oxlint'), ['-f', 'unix', file], { cwd: ROOT, encoding: 'utf8' });
    return false;
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout).includes('no-restricted-imports');
  } finally {
    rmSync(folder, { recursive: true });
  }
};

test('a path into another part and the entries that belong to one part alone are refused', (t) => {
  t.true(isRefused('packages/db', `export { openStorage } from '../../../storage/src/storage.ts';`));
  t.true(isRefused('apps/sync', `export { makeThumbnails } from '@sheaf/extraction/thumbnail';`));
  t.true(isRefused('apps/api', `export { Extractor } from '@sheaf/extraction';`));
  t.true(isRefused('apps/api', `export { sql } from '@sheaf/db/drizzle';`));
  t.true(isRefused('packages/ingest', `export { readMultistatus } from '@sheaf/sources/testing/webdav';`));
  t.true(isRefused('apps/api', `export { nearWords } from '@sheaf/search/testing';`));
  t.false(isRefused('apps/api', `export { makeThumbnails } from '@sheaf/extraction/thumbnail';`));
  t.false(isRefused('packages/search', `export { sql } from '@sheaf/db/drizzle';`));
});

test('nothing but packages/db makes connections to the database', (t) => {
  t.true(isRefused('packages/search', `import { Pool } from 'pg';\nexport const pool = new Pool();`));
  t.false(isRefused('packages/search', `export type { Pool } from 'pg';`));
});

test('what is composed does not read the configuration by itself', (t) => {
  const line = `import { loadConfig } from '@sheaf/config';\nexport const { config } = loadConfig();`;
  for (const part of ['apps/sync', 'apps/api', 'packages/search']) t.true(isRefused(part, line), part);
  t.false(isRefused('apps/sync', `export type { Config } from '@sheaf/config';`));
});

test('nothing of the packages goes to browsers but types', (t) => {
  t.true(isRefused('apps/web', `export { INTERFACE } from '@sheaf/contract/interface';`));
  t.true(isRefused('apps/web', `export { z } from 'zod';`));
  t.false(isRefused('apps/web', `export type { EventType } from '@sheaf/contract';`));
});
