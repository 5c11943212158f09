import test from 'ava';
import { filesThatName } from '../../runner/changed-tests.ts';

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
