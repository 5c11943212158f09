import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configurationTable } from '@sheaf/config';
import test from 'ava';

test('the README has the configuration table as the declarations make it', async (t) => {
  const readme = await readFile(join(import.meta.dirname, '../../../README.md'), 'utf8');
  t.true(readme.includes(configurationTable()), 'run `npm run docs`');
});
