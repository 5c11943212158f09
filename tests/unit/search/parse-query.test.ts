import { parseQuery } from '@sheaf/search';
import test from 'ava';
import * as fc from 'fast-check';

const word = (text: string) => ({ text, prefix: false });
const none = { must: [], should: [], mustNot: [] };

test('all words must match', (t) => {
  t.deepEqual(parseQuery('annual  report\n2024'), { ...none, must: [[word('annual')], [word('report')], [word('2024')]] });
});

test('quotes keep words together, a missing end quote ends with the text', (t) => {
  t.deepEqual(parseQuery('"annual report" "of the'), { ...none, must: [[word('annual report')], [word('of the')]] });
  t.deepEqual(parseQuery('“annual report”'), { ...none, must: [[word('annual report')]] });
});

test('a dash in front excludes, a dash inside belongs to the word', (t) => {
  t.deepEqual(parseQuery('INV-2024 -draft -"old version"'), {
    ...none,
    must: [[word('INV-2024')]],
    mustNot: [[word('draft')], [word('old version')]],
  });
});

test('OR joins its two neighbours, further ones too', (t) => {
  t.deepEqual(parseQuery('invoice 2023 OR 2024 OR 2025 paid'), {
    ...none,
    must: [[word('invoice')], [word('2023'), word('2024'), word('2025')], [word('paid')]],
  });
});

test('an OR without two neighbours, and AND, say nothing', (t) => {
  for (const q of ['OR a', 'a OR', 'a OR OR', 'AND a', 'a AND']) t.deepEqual(parseQuery(q).must, [[word('a')]], q);
  t.deepEqual(parseQuery('a AND b').must, [[word('a')], [word('b')]]);
  t.deepEqual(parseQuery('a or b').must, [[word('a')], [word('or')], [word('b')]]);
});

test('a star at the end lets the word go on', (t) => {
  t.deepEqual(parseQuery('inv* 2024'), { ...none, must: [[{ text: 'inv', prefix: true }], [word('2024')]] });
  t.deepEqual(parseQuery('"annual rep"* 2024'), { ...none, must: [[{ text: 'annual rep', prefix: true }], [word('2024')]] });
});

test('fields are those of the contract, in any case; other names with a colon are words', (t) => {
  t.deepEqual(parseQuery('title:report Label:"to pay" filename:scan* http://x -title:draft'), {
    should: [],
    must: [
      [{ text: 'report', field: 'title', prefix: false }],
      [{ text: 'to pay', field: 'label', compare: 'equal', prefix: false }],
      [{ text: 'scan', field: 'filename', prefix: true }],
      [word('http://x')],
    ],
    mustNot: [[{ text: 'draft', field: 'title', prefix: false }]],
  });
});

test('a label may be of signs alone, and a star lets its name go on', (t) => {
  t.deepEqual(parseQuery('label:★ -label:"§ 5" label:tax*').must, [
    [{ text: '★', field: 'label', compare: 'equal', prefix: false }],
    [{ text: 'tax', field: 'label', compare: 'contains', prefix: false }],
  ]);
  t.deepEqual(parseQuery('content:word label:"" label:*').must, [[{ text: 'word', field: 'content', prefix: false }]]);
});

test('nothing but exclusions, operators or signs asks for nothing', (t) => {
  for (const q of ['', ' ', '-', '--', '"', '""', '*', 'OR', 'AND OR', '-a', '-a -b', '&|!()', ':', '\0', '-"a b"'])
    t.deepEqual(parseQuery(q), none, JSON.stringify(q));
});

test('any text whatever gives a query of bounded size without NUL and without broken characters', (t) => {
  const pieces = fc.constantFrom(
    '"',
    '-',
    'OR',
    '*',
    ':',
    'title:',
    'label:',
    '\0',
    '\ud800',
    '(',
    ')',
    '&',
    '|',
    '!',
    '<->',
    "'",
    '\\',
    ' ',
    'ab',
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.array(pieces, { maxLength: 300 }).map((list) => list.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const query = parseQuery(text);
      const terms = [...query.must, ...query.mustNot].flat();
      t.true(terms.length <= 64);
      for (const term of terms) {
        t.false(term.text.includes('\0'));
        t.true(term.text.isWellFormed());
        t.true(term.text !== '');
      }
    }),
  );
});

// that it takes time in proportion to its length is measured in tests/unit/growth
test('a text of a megabyte is cut down to what a query may have', (t) => {
  for (const piece of ['a ', '"', '-', '"a" ', 'title:', '* ', 'a OR ']) t.true(parseQuery(piece.repeat(500_000)).must.length <= 64);
});
