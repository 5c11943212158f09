import { advancedSearchRequest } from '@sheaf/contract/search';
import { advancedQuery, parseQuery, writeQuery } from '@sheaf/search';
import test from 'ava';
import * as fc from 'fast-check';

test('a query is written as a person would type it', (t) => {
  for (const q of [
    'annual report',
    '"annual report" -draft',
    'a OR b OR "c d"',
    'title:annual content:"of the year" label:"to pay"',
    'inv* -filename:scan',
    'label:tax* OR a',
    'from:acme OR type:"credit note" note:paid',
    'from:none date:2024-01..2024-03 asn:>=7 -date:none',
    'field.amount:>100 field."Invoice no":7 OR field.ref:"7" -field.paid:none',
    'from:"none"',
    'a OR -b OR -title:c d',
    '-a OR -from:b',
    'created:-1m..now added:previous-month modified:>2024 owner:anna field.*:a field.b:* -field.c:*',
    'label:★',
  ])
    t.is(writeQuery(parseQuery(q)), q === 'label:★' ? 'label:"★"' : q);
  t.is(writeQuery(parseQuery('  Annual   AND http://x  -  ')), 'Annual "http://x"');
});

test('what was read and written is read the same again', (t) => {
  const pieces = fc.constantFrom(
    '"',
    '-',
    'OR',
    'AND',
    '*',
    ':',
    'title:',
    'label:',
    'content:',
    'from:',
    'type:',
    'date:',
    'asn:',
    'created:',
    'added:',
    'field.x:',
    'today',
    'note:',
    'none',
    '-03',
    '..',
    '>',
    '<=',
    '\0',
    '(',
    "'",
    '\\',
    ' ',
    ' ',
    'ab',
    'c-d',
    '“',
    '2024',
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.array(pieces, { maxLength: 60 }).map((list) => list.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const query = parseQuery(text);
      t.deepEqual(parseQuery(writeQuery(query)), query, JSON.stringify(text));
    }),
    { numRuns: 500 },
  );
});

test('an advanced query is written in the same language', (t) => {
  const { query } = advancedSearchRequest.parse({
    query: {
      must: [{ value: 'annual report' }, { field: 'content', type: 'exact', value: 'of the year' }],
      should: [
        { field: 'title', value: 'a' },
        { field: 'metadata.author', type: 'exact', value: 'Zoë M' },
      ],
      must_not: [
        { field: 'label', value: 'paid' },
        { field: 'correspondent', value: 'None' },
      ],
    },
  });
  t.is(writeQuery(advancedQuery(query)), 'annual report content:"of the year" title:a OR metadata.author:"Zoë M" -label:paid -from:"None"');
});
