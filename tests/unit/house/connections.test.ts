import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';

const ROOT = join(import.meta.dirname, '../../..');

/** Where connections are made: with TLS as configured, and within their limits. Tests have their own. */
const PLACES = [
  'packages/db/src/client.ts',
  'packages/db/src/connect.ts',
  'packages/db/src/patient-pool.ts',
  'packages/testkit/src/database.ts',
];

test('nothing but packages/db makes connections to the database', async (t) => {
  const found: string[] = [];
  for await (const file of glob('{apps,packages}/*/src/**/*.ts', { cwd: ROOT })) {
    const imports = (await readFile(join(ROOT, file), 'utf8')).matchAll(/^import (?!type)([^;]*?) from 'pg';/gm);
    for (const [, names = ''] of imports) if (/(?<!type )\b(Client|Pool)\b/.test(names)) found.push(file);
  }
  t.deepEqual(found.toSorted(), PLACES);
});
