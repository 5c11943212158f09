import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'ava';
import { listTests, namedTests } from '../../runner/test-files.ts';

const FILES: Readonly<Record<string, string>> = {
  'packages/search/README.md': 'Tests: `tests/integration/db`.',
  'packages/documents/README.md': '# documents\n\nTests: `tests/integration/db`. Design: [Lists](lists.md), `tests/nothing`.',
  'packages/names/README.md': 'Names alone.',
  'tests/unit/search/parse.test.ts': '',
  'tests/integration/search/words.test.ts': '',
  'tests/integration/db/rows.test.ts': '',
  'tests/integration/db/all.full.test.ts': '',
  'tests/e2e/upgrade.test.ts': '',
};

const project = mkdtempSync(join(tmpdir(), 'sheaf-named-'));
test.before(() => {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
});
test.after.always(() => rmSync(project, { recursive: true }));

const named = (...names: string[]): string[] => namedTests(project, listTests(project, false), names).toSorted();

test('a package names the unit and integration tests in folders of its name', (t) => {
  const its = ['tests/integration/search/words.test.ts', 'tests/unit/search/parse.test.ts'];
  t.deepEqual(named('packages/search'), its);
  t.deepEqual(named('search'), its);
  t.deepEqual(named('packages/search/'), its);
});

test('a package without such a folder names the tests that its README names', (t) => {
  t.deepEqual(named('packages/documents'), ['tests/integration/db/rows.test.ts']);
});

test('a folder and a pattern name their tests, each file once', (t) => {
  t.deepEqual(named('tests/unit', 'tests/unit/search/*.test.ts', 'tests/e2e/upgrade.test.ts'), [
    'tests/e2e/upgrade.test.ts',
    'tests/unit/search/parse.test.ts',
  ]);
});

test('a name without tests is refused by its name', (t) => {
  for (const name of ['packages/names', 'packages/nothing', 'tests/nothing']) t.throws(() => named(name), { message: new RegExp(name) });
});
