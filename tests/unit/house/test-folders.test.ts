// Whoever works on a part finds its tests by its name, and runs them alone (`node tests/run.ts packages/NAME`).
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { ImportGraph } from '../../structure/import-graph.ts';
import { readSources, TESTS } from '../../structure/source-file.ts';

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

test('programs that tests start import no test runner, which would end them before they begin', (t) => {
  const sources = readSources(ROOT, [TESTS]);
  const graph = new ImportGraph(ROOT, sources);
  const loadsRunner = new Set(
    sources.filter(({ imports }) => imports.some(({ from, isType }) => from === 'ava' && !isType)).map(({ path }) => path),
  );
  const programs = sources.filter(({ path, text }) => path.startsWith('tests/fixtures/') && text.includes('process.argv'));
  t.true(programs.length > 5, 'the programs were found');
  const ending = programs.flatMap(({ path }) =>
    [...graph.reachableFrom([path])].filter((reached) => loadsRunner.has(reached)).map((reached) => `${path} reaches ${reached}`),
  );
  t.deepEqual(ending, []);
});
