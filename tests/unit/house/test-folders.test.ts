// Whoever works on a part finds its tests by its name, and runs them alone (`node tests/run.ts packages/NAME`).
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

const ROOT = join(import.meta.dirname, '../../..');
/** Tests of the repository as a whole, and of many parts in one way. */
const OF_NO_PART = new Set(['deploy', 'docs', 'fuzz', 'generators', 'growth', 'house', 'runner']);

const folders = (path: string): string[] =>
  readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

test('the folders of unit and integration tests have the names of packages and apps', (t) => {
  const parts = new Set([...folders('packages'), ...folders('apps')]);
  t.true(parts.size > 20);
  const unknown = ['tests/unit', 'tests/integration'].flatMap((path) =>
    folders(path)
      .filter((name) => !parts.has(name) && !(path === 'tests/unit' && OF_NO_PART.has(name)))
      .map((name) => `${path}/${name}`),
  );
  t.deepEqual(unknown, []);
});
