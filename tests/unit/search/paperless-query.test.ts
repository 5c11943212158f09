import { parseQuery, readPaperlessQuery, writeQuery } from '@sheaf/search';
import test from 'ava';
import * as fc from 'fast-check';

const own = (text: string): string => {
  const read = readPaperlessQuery(text);
  if ('problem' in read) return `problem: ${read.problem}`;
  return writeQuery(read.query);
};

/** A query of Paperless-ngx, and the one of ours that means the same. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['invoice electricity', 'invoice electricity'],
  ['"final notice" paper', '"final notice" paper'],
  ["'final notice'", '"final notice"'],
  ['prod* *name *oduc*', 'prod* *name *oduc*'],
  ['title:invoice content:paper', 'title:invoice content:paper'],
  ['note:paid notes:"paid today" notes.note:x', 'note:paid note:"paid today" note:x'],
  ['original_filename:scan', 'filename:scan'],
  ['tag:unpaid tag:"to pay" tag:tax*', 'label:unpaid label:"to pay" label:tax*'],
  ['type:invoice correspondent:"ACME Ltd"', 'type:invoice from:"ACME Ltd"'],
  ['correspondent:none', 'from:"none"'],
  ['correspondent:* NOT type:*', 'type:none -from:none'],
  ['asn:123 asn:[1 TO 5] asn:{1 to 5} asn:[7 to]', 'asn:123 asn:1..5 asn:>1 asn:<5 asn:7..'],
  ['asn:*', 'added:1970.. -asn:none'],
  ['owner:anna', 'owner:anna'],
  ['created:2024 created:202403 created:2024-03 created:20240305', 'created:2024 created:2024-03 created:2024-03 created:2024-03-05'],
  ['created:[2005 to 2009]', 'created:2005..2009'],
  ['created:[20240101 TO 20241231]', 'created:2024-01-01..2024-12-31'],
  ['added:[2024-01 to] modified:[to 2024]', 'added:2024-01.. modified:..2024'],
  ['created:{2005 to 2009]', 'created:>2005 created:<=2009'],
  ['created:>=2024-02', 'created:>=2024-02'],
  ['created:[-1 week to now]', 'created:-1w..now'],
  ['added:[-3 month to now] added:[now-7d to now] added:[-1 year to now]', 'added:-3m..now added:-7d..now added:-1y..now'],
  ['added:["2 weeks ago" to today]', 'added:-2w..today'],
  ['added:today modified:yesterday', 'added:today modified:yesterday'],
  [
    'created:"previous week" created:"this month" created:\'previous month\' created:"previous quarter"',
    'created:previous-week created:this-month created:previous-month created:previous-quarter',
  ],
  ['created:"this year" added:"previous year"', 'created:this-year added:previous-year'],
  ['custom_fields.value:policy', 'field.*:policy'],
  ['custom_fields.name:"Contract Number"', 'field."Contract Number":*'],
  ['custom_fields.name:Insurance custom_fields.value:policy', 'field.Insurance:policy'],
  [
    'field.amount:>100 field."Invoice no":7 field.x:none type:none asn:none',
    'field.amount:>100 field."Invoice no":7 field.x:none type:none asn:none',
  ],
  ['date:2024-01..2024-03', 'date:2024-01..2024-03'],
  ['custom_fields:total', 'field.total:* OR field.*:total'],
  ['a AND b', 'a b'],
  ['a b OR c d', 'a b OR c d'],
  ['a AND b OR c', 'a OR c b OR c'],
  ['shop AND (product1 OR product2)', 'shop product1 OR product2'],
  ['a (b OR (c AND d))', 'a b OR c b OR d'],
  ['NOT a b', 'b -a'],
  ['a ANDNOT b', 'a -b'],
  ['a -b +c', 'a c -b'],
  ['NOT (a OR b) c', 'c -a -b'],
  ['NOT (a AND b)', '-a OR -b'],
  ['a OR NOT b', 'a OR -b'],
  ['NOT a', 'added:1970.. -a'],
  ['NOT NOT a', 'a'],
  ['tag:(unpaid OR late)', 'label:unpaid OR label:late'],
  ['tag:a,b', 'label:a,b'],
  ['created:(2023 OR 2024) type:invoice', 'created:2023 OR created:2024 type:invoice'],
  ['http://example.org/x', '"http://example.org/x"'],
  ['Smith & Sons', 'Smith Sons'],
  ['*', 'added:1970..'],
  ['10:30', '"10:30"'],
];

test('a query of Paperless-ngx is the same in our own syntax', (t) => {
  for (const [theirs, ours] of PAIRS) {
    t.is(own(theirs), ours, theirs);
    const read = readPaperlessQuery(theirs);
    if ('query' in read) t.deepEqual(parseQuery(ours), read.query, `${theirs} is read back`);
  }
});

test('what cannot be said here is a problem that names it', (t) => {
  const problems: Readonly<Record<string, RegExp>> = {
    'foo:bar': /field "foo"/,
    'tag_id:5': /field "tag_id"/,
    'notes.user:alice': /field "notes\.user"/,
    'created:soon': /created: .*soon/,
    'created:[soon to now]': /created: .*soon to now/,
    'created:[2024 to 2023]': /2024 to 2023/,
    'created:[2024-13 to]': /2024-13/,
    'created:[to]': /no bound/,
    'created:[2024]': /no range/,
    'added:[-5 hours to now]': /hours/,
    'added:[now to +1 week]': /\+1 week/,
    'asn:x': /asn: .*x/,
    'title:[a to b]': /title: takes no range/,
    '[a to b]': /no range/,
    'produ*name': /wildcard/,
    'te?t': /wildcard/,
    'word^2': /boosts/,
    'word~2': /distances/,
    'a AND': /right/,
    'OR a': /left/,
    'a OR OR b': /left/,
    '(a': /parenthesis/,
    'a)': /parenthesis/,
    'a "b': /no end/,
    'created:[2024 to': /no end/,
    'a ]': /closes nothing/,
    'title:': /title: needs/,
    'title:)': /nothing to its left/,
    'a ANDMAYBE b': /ANDMAYBE/,
    '& !': /nothing to search/,
    '()': /nothing to search/,
    '': /nothing to search/,
  };
  for (const [text, problem] of Object.entries(problems)) t.regex(own(text), new RegExp(`^problem: .*${problem.source}`), text);
  t.regex(own(`${'('.repeat(30)}a${')'.repeat(30)}`), /nested/);
  t.regex(own(Array.from({ length: 12 }, (_, n) => `(a${n} AND b${n})`).join(' OR ')), /too many/);
});

test('any text whatever is a query of bounded size or a problem', (t) => {
  const pieces = fc.constantFrom(
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    ' ',
    ' ',
    'AND ',
    'OR ',
    'NOT ',
    '-',
    ' to ',
    'a',
    'b*',
    'tag:',
    'created:',
    '2024',
    'now',
    'x:',
    '*',
    ':',
    '\\',
    '^',
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(pieces, { maxLength: 80 }).map((list) => list.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const read = readPaperlessQuery(text);
      if ('problem' in read) return;
      t.true([...read.query.must, ...read.query.mustNot].flat().length <= 64);
      t.true(read.query.must.length > 0);
    }),
    { numRuns: 500 },
  );
});
