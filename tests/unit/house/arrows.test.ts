import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { findWrongArrows, hasCircle, type Part } from './arrows.ts';

const ROOT = join(import.meta.dirname, '../../..');
const packageFile = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });
const readParts = async (): Promise<Part[]> => {
  const paths = await Promise.all(
    ['apps', 'packages'].map(async (folder) => (await readdir(join(ROOT, folder))).map((name) => `${folder}/${name}`)),
  );
  return Promise.all(
    paths.flat().map(async (path) => {
      const { dependencies } = packageFile.parse(JSON.parse(await readFile(join(ROOT, path, 'package.json'), 'utf8')));
      return { path, dependencies: Object.keys(dependencies) };
    }),
  );
};

test('every part lists only what its arrows allow', async (t) => {
  const parts = await readParts();
  t.true(parts.length >= 18, 'the search for parts found nothing');
  t.deepEqual(findWrongArrows(parts), []);
});

test('the arrows have no circle', (t) => {
  t.false(hasCircle());
  t.true(hasCircle({ 'packages/a': ['b'], 'packages/b': ['a'] }));
});

test('an arrow that points up is found in the package.json', (t) => {
  t.is(findWrongArrows([{ path: 'packages/db', dependencies: ['@sheaf/contract', '@sheaf/search'] }]).length, 1);
});
