import { glob, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { findWrongArrows, hasCircle, type Part } from './arrows.ts';

const ROOT = join(import.meta.dirname, '../../..');
const packageFile = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });
const IMPORT = /^\s*(?:import|export)\b[^'";]*?from\s*'([^']+)'|^\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|new URL\('(\.[^']+)'/gm;

const importsOf = async (path: string): Promise<Part['imports']> => {
  const found = [];
  for await (const file of glob('src/**/*.{ts,tsx}', { cwd: join(ROOT, path) })) {
    const text = await readFile(join(ROOT, path, file), 'utf8');
    for (const match of text.matchAll(IMPORT)) found.push({ file, specifier: match[1] ?? match[2] ?? match[3] ?? match[4] ?? '' });
  }
  return found;
};

const readParts = async (): Promise<Part[]> => {
  const paths = await Promise.all(
    ['apps', 'packages'].map(async (folder) => (await readdir(join(ROOT, folder))).map((name) => `${folder}/${name}`)),
  );
  return Promise.all(
    paths.flat().map(async (path) => {
      const { dependencies } = packageFile.parse(JSON.parse(await readFile(join(ROOT, path, 'package.json'), 'utf8')));
      return { path, dependencies: Object.keys(dependencies), imports: await importsOf(path) };
    }),
  );
};

test('every part imports only what its arrows allow', async (t) => {
  const parts = await readParts();
  t.true(parts.length >= 18, 'the search for parts found nothing');
  t.true(parts.flatMap((part) => part.imports).length > 300, 'the search for imports found nothing');
  t.deepEqual(findWrongArrows(parts), []);
});

test('the arrows have no circle', (t) => {
  t.false(hasCircle());
  t.true(hasCircle({ 'packages/a': ['b'], 'packages/b': ['a'] }));
});

const part = (fields: Partial<Part>): Part[] => [{ path: 'packages/db', dependencies: ['@sheaf/contract'], imports: [], ...fields }];
const importing = (specifier: string) => part({ imports: [{ file: 'src/queries/users.ts', specifier }] });

test('an arrow that points up is found in the package.json', (t) => {
  t.is(findWrongArrows(part({ dependencies: ['@sheaf/search'] })).length, 1);
});

test('an import that is not listed, a side door and a path into another part are found', (t) => {
  t.is(findWrongArrows(importing('@sheaf/storage')).length, 1);
  t.is(findWrongArrows(importing('@sheaf/contract/src/user.ts')).length, 1);
  t.is(findWrongArrows(importing('../../../storage/src/storage.ts')).length, 1);
  t.deepEqual(findWrongArrows(importing('../client.ts')), []);
  t.deepEqual(findWrongArrows(importing('@sheaf/contract')), []);
});

test('the api may have the pictures of extraction and nothing else', (t) => {
  const api = (specifier: string) =>
    findWrongArrows([{ path: 'apps/api', dependencies: ['@sheaf/extraction'], imports: [{ file: 'src/a.ts', specifier }] }]);
  t.deepEqual(api('@sheaf/extraction/thumbnail'), []);
  t.is(api('@sheaf/extraction').length, 1);
});

test('the web client imports values from the vocabulary only, and types from the other packages', async (t) => {
  const wrong: string[] = [];
  let seen = 0;
  for await (const file of glob('apps/web/src/**/*.{ts,tsx}', { cwd: ROOT })) {
    const text = await readFile(join(ROOT, file), 'utf8');
    for (const [line] of text.matchAll(/^import\b[^;]*?from\s*'(?:@sheaf\/(?!vocabulary')[^']+|zod)'/gm)) {
      seen += 1;
      if (!line.startsWith('import type ')) wrong.push(`${file}: ${line}`);
    }
  }
  t.true(seen > 3, 'the search for imports found nothing');
  t.deepEqual(wrong, []);
});
