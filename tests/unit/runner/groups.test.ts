import test from 'ava';
import { runAva } from '../../runner/ava.ts';
import { groupsOf } from '../../runner/groups/groups.ts';

const FOLDER = 'tests/fixtures/test-groups';
const file = (name: string): string => `${FOLDER}/${name}.test.ts`;
const prefix = (name: string): string => `fixtures › test-groups › ${name} › `;

const run = async (groups: readonly (readonly string[])[]) => {
  const lines: string[] = [];
  const result = await runAva(groups, {}, { concurrency: 2, write: (line) => lines.push(line) });
  return { ...result, lines };
};

test('files of a group run one after the other in one process, each with its own hooks, context, titles and failures', async (t) => {
  const { exitCode, totals, failedTitles, lines } = await run([[file('first'), file('second')]]);
  t.is(exitCode, 1);
  t.deepEqual(totals, { passed: 3, failed: 1, skipped: 1 }, lines.join('\n'));
  t.is(failedTitles.length, 1);
  t.true(failedTitles[0]?.startsWith(`${prefix('first')}this one fails`));
  t.true(lines.some((line) => line.includes(`✔ ${prefix('second')}a title that both files have`)));
  t.false(lines.some((line) => line.includes('group-1')));
});

test('a file that cannot be loaded, or has no tests, is a failure that stops no other file of its group', async (t) => {
  for (const bad of ['broken', 'empty']) {
    const { exitCode, totals, lines } = await run([[file(bad), file('second')]]);
    t.is(exitCode, 1);
    t.is(totals.failed, 2, 'second expects what first notes, and the group itself fails');
    t.true(
      lines.some((line) => line.includes(file(bad))),
      lines.join('\n'),
    );
  }
});

test('each file is in exactly one group, with neighbours of its kind', (t) => {
  const files = ['tests/unit/a/a.test.ts', 'tests/e2e/a.test.ts', 'tests/unit/b/b.test.ts', 'tests/e2e/b.test.ts', 'tests/unit/c.test.ts'];
  const groups = groupsOf(files);
  t.deepEqual(groups.flat().toSorted(), files.toSorted());
  t.true(groups.every((group) => new Set(group.map((path) => path.split('/')[1])).size === 1));
  t.deepEqual(
    groups.find(([first]) => first === 'tests/unit/a/a.test.ts'),
    ['tests/unit/a/a.test.ts', 'tests/unit/b/b.test.ts', 'tests/unit/c.test.ts'],
  );
});
