import * as fc from 'fast-check';
import { openLibrary, testWithDatabases } from './library.ts';

const test = testWithDatabases();

test('whatever is typed gives an answer', async (t) => {
  const { put, ask } = await openLibrary(t.context.db);
  await put({ title: 'a', pages: ['some text'] });
  const odd = [
    "'",
    '"',
    '\\',
    '&',
    '|',
    '!',
    '<->',
    ':*',
    'a:*',
    "a'b",
    "\\'",
    '<5>',
    '(((',
    '\0',
    '\ud800',
    '-',
    '*',
    '"*"',
    'a*b*',
    'title:*',
    'label:*',
    '\u202eabc',
    'é\u0301',
    '％',
    "x'::tsquery",
    '$1',
    '😀',
    '½',
    'a\u00adb',
    '\u00ad',
    'ǅ',
    'İ',
    'ﬁ',
    'ʼn',
  ];
  for (const q of [...odd, odd.join(' '), odd.join(''), `text ${odd.join(' OR ')}`])
    for (const fuzzy of [false, true]) await t.notThrowsAsync(ask(q, { fuzzy }), JSON.stringify(q));
  const pieces = fc.array(fc.oneof(fc.constantFrom(...odd, ' ', ' OR ', 'text', '"', '-'), fc.string({ unit: 'binary', maxLength: 5 })), {
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(pieces, async (list) => {
      const body = await ask(list.join(''));
      t.true(body.total >= body.results.length);
    }),
    { numRuns: 150 },
  );
});

test('a query as long as may be is answered in bounded time', async (t) => {
  const { put, ask } = await openLibrary(t.context.db);
  await put({ title: 'a', pages: ['some text of words'] });
  for (const q of ['a-'.repeat(1_000), `"${'word '.repeat(400)}"`, 'w* '.repeat(600), '"a b" '.repeat(300), '人'.repeat(2_000)]) {
    const started = performance.now();
    await ask(q, { fuzzy: true });
    t.true(performance.now() - started < 5_000, q.slice(0, 20));
  }
});
