import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';

const API = join(import.meta.dirname, '../../../apps/api/src');

/** The text of a file with those that it imports from its folder, where routes may share what they declare. */
const withNeighbours = async (folder: string, source: string): Promise<string> => {
  const names = [...source.matchAll(/ from '\.\/([\w-]+\.ts)'/g)].map(([, name = '']) => name);
  const neighbours = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return [source, ...neighbours].join('\n');
};

test('a file that declares a route and throws an error code lists it in the errors of a route', async (t) => {
  const missing: string[] = [];
  let files = 0;
  for await (const file of glob('*/*.ts', { cwd: API })) {
    const source = await readFile(join(API, file), 'utf8');
    if (!/\b(?:json|list|stream)Route\(/.test(source)) continue;
    files += 1;
    const declared = await withNeighbours(join(API, file, '..'), source);
    for (const [, code = ''] of source.matchAll(/codedError\(\s*'[A-Z_]+',\s*'([A-Z_]+)'/g))
      if (!new RegExp(String.raw`\b${code}: '`).test(declared)) missing.push(`${file}: ${code}`);
  }
  t.true(files > 30);
  t.deepEqual(missing, [], 'add the code to `errors`, so that the API description has it');
});
