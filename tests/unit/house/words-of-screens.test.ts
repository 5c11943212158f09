import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';

const SOURCES = join(import.meta.dirname, '../../../apps/web/src');

test('no words of the screens stand outside of their texts', async (t) => {
  const files = (await readdir(SOURCES, { recursive: true })).filter((name) => name.endsWith('.tsx'));
  t.true(files.length > 50);
  const found: string[] = [];
  for (const name of files) {
    const source = await readFile(join(SOURCES, name), 'utf8');
    // text between tags, and the properties that are read aloud or shown
    for (const [, words] of source.matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+)+[.:?!]?)\s*</g)) found.push(`${name}: ${words}`);
    for (const [, , words] of source.matchAll(/\b(aria-label|title|label|placeholder|alt|description)="([^"]*[a-z]{3} [^"]*)"/g))
      found.push(`${name}: ${words}`);
  }
  t.deepEqual(found, []);
});
