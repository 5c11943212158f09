import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generatedFiles, ROOT } from '@sheaf/cli/testing';
import test from 'ava';

test('the generated pages are what `npm run docs` writes', async (t) => {
  t.timeout(3 * 120_000);
  const old: string[] = [];
  for (const [path, text] of await generatedFiles()) if ((await readFile(join(ROOT, path), 'utf8')) !== text) old.push(path);
  t.deepEqual(old, [], 'run `npm run docs`');
});
