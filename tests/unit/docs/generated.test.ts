import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { generatedFiles, ROOT } from '@sheaf/cli/testing';
import test from 'ava';

test('the generated pages are what `npm run docs` writes', async (t) => {
  t.timeout(3 * 120_000);
  const old: string[] = [];
  for (const [path, text] of await generatedFiles()) if ((await readFile(join(ROOT, path), 'utf8')) !== text) old.push(path);
  t.deepEqual(old, [], 'run `npm run docs`');
});

test('what writes the generated pages writes nothing where it is only imported', async (t) => {
  const timeOfPage = async () => (await stat(join(ROOT, 'docs/cli/index.md'))).mtimeMs;
  const before = await timeOfPage();
  // loaded once more: the first time was before any test
  await import(`${pathToFileURL(join(ROOT, 'apps/cli/src/docs/write-docs.ts')).href}?again`);
  t.is(await timeOfPage(), before);
});
