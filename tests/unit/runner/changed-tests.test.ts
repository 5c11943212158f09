import { join } from 'node:path';
import test from 'ava';
import { dependentsOf, filesThatName } from '../../runner/changed-tests.ts';
import { ImportGraph } from '../../structure/import-graph.ts';
import { PRODUCTION, readSources, TESTS } from '../../structure/source-file.ts';

const SOURCES = [
  { path: 'tests/unit/deploy/guide.test.ts', text: "read('docs/operate/upgrade.md')" },
  { path: 'tests/support/messages.ts', text: "import de from '@sheaf/messages/locales/de.json' with { type: 'json' };" },
  { path: 'tests/unit/search/parse.test.ts', text: "import { parse } from '@sheaf/search';" },
  { path: 'packages/messages/src/translators.ts', text: "import('../locales/de.json'); // packages/messages/locales/de.json" },
];

test('tests and their helpers read the pages and catalogues that they name', (t) => {
  t.deepEqual(filesThatName(['docs/operate/upgrade.md'], SOURCES), ['tests/unit/deploy/guide.test.ts']);
  t.deepEqual(filesThatName(['packages/messages/locales/de.json'], SOURCES), ['tests/support/messages.ts']);
  t.deepEqual(filesThatName(['packages/messages/locales/fr.json', 'docs/index.md'], SOURCES), []);
});

test('what changes in an app or in a program of tests/fixtures leads to the tests that import or start it', (t) => {
  const root = join(import.meta.dirname, '../../..');
  const sources = readSources(root, [PRODUCTION, TESTS]);
  const graph = new ImportGraph(root, sources);
  const leadsTo = (file: string, test: string): boolean => dependentsOf([file], graph, sources).has(test);
  t.true(leadsTo('apps/cli/src/migrate-to-s3/arguments.ts', 'tests/unit/cli/migrate-to-s3-arguments.test.ts'));
  t.false(leadsTo('apps/cli/src/progress/progress.ts', 'tests/unit/cli/migrate-to-s3-arguments.test.ts'), 'a name leads to its file alone');
  t.true(leadsTo('tests/fixtures/backup/killed-restore.ts', 'tests/integration/backup/restore-killed.test.ts'));
  t.true(leadsTo('packages/backup/src/restore.ts', 'tests/integration/backup/restore-killed.test.ts'));
});
