import { parseQuery, readQuery } from '@sheaf/search';
import { readDayRange, readMomentRange } from '@sheaf/search/testing';
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

test('OR joins what must not hold as well', (t) => {
  const not = (text: string) => ({ ...word(text), negated: true });
  t.deepEqual(parseQuery('a OR -b c'), { ...none, must: [[word('a'), not('b')], [word('c')]] });
  t.deepEqual(parseQuery('-a OR b'), { ...none, must: [[not('a'), word('b')]] });
  t.deepEqual(parseQuery('-a OR -b'), { ...none, must: [[not('a'), not('b')]] });
});

test('what is not understood is named', (t) => {
  const warned = (q: string) => readQuery(q).warnings.map(({ code, part }) => `${code} ${part}`);
  t.deepEqual(warned('invoice foo:bar -x_y:"a b"'), ['unknown_field foo:bar', 'unknown_field -x_y:']);
  t.deepEqual(warned('date:soon asn:1.5 added:none'), ['invalid_value date:soon', 'invalid_value asn:1.5', 'invalid_value added:none']);
  t.deepEqual(warned('-a -b'), ['only_exclusions -a -b']);
  t.deepEqual(warned(' ?! '), ['no_words ?!']);
  t.deepEqual(warned('a '.repeat(66)), ['too_many_words a']);
  t.deepEqual(warned('http://x 12:30 Total: 5 c:\\x std::map tag:a correspondent:b notes:c date:2024 "foo:bar" field.x:1'), []);
  t.deepEqual(warned(Array.from({ length: 40 }, (_, n) => `a${n}:b`).join(' ')).length, 10);
});

test('days can be relative to today', (t) => {
  const at = new Date('2024-03-31T12:34:56.789Z'); // a Sunday
  const ranges = {
    today: ['2024-03-31', '2024-03-31'],
    yesterday: ['2024-03-30', '2024-03-30'],
    '-7d..now': ['2024-03-24', '2024-03-31'],
    '-1w..': ['2024-03-24', undefined],
    '-1m..now': ['2024-02-29', '2024-03-31'],
    '-1y..': ['2023-03-31', undefined],
    'this-week': ['2024-03-25', '2024-03-31'],
    'previous-week': ['2024-03-18', '2024-03-24'],
    'this-month': ['2024-03-01', '2024-03-31'],
    'Previous-Month': ['2024-02-01', '2024-02-29'],
    'this-quarter': ['2024-01-01', '2024-03-31'],
    'previous-quarter': ['2023-10-01', '2023-12-31'],
    'this-year': ['2024-01-01', '2024-12-31'],
    'previous-year': ['2023-01-01', '2023-12-31'],
  };
  for (const [text, [from, to]] of Object.entries(ranges)) {
    t.like(readDayRange(text, at), { from, to }, text);
    t.like(parseQuery(`created:${text}`).must, [[fact('created', 'range', text)]], text);
  }
  t.deepEqual(parseQuery('added:"previous month"').must, [[fact('added', 'range', 'previous-month')]]);
  t.deepEqual(readMomentRange('-1d..now', at), { from: '2024-03-30T12:34:56.789Z', to: '2024-03-31T12:34:56.789Z' });
  t.deepEqual(readMomentRange('2024-02', at), { from: '2024-02-01T00:00:00Z', to: '2024-02-29T23:59:59.999999Z' });
  for (const text of ['-1x', '-d', '-99999d', 'tomorrow', 'next-week']) t.is(readDayRange(text, at), undefined, text);
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

test('fields are those of the contract, in any case, and names of theirs elsewhere; other names with a colon are words', (t) => {
  t.deepEqual(parseQuery('title:report TAG:"to pay" filename:scan* http://x -title:draft'), {
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

const fact = (field: string, compare: string, text: string) => ({ text, field, compare, prefix: false });

test('facts of documents: who they are from, what they are, their day and their number', (t) => {
  t.deepEqual(parseQuery('from:acme From:"ACME Ltd" type:invoice from:none asn:100..120 note:paid -date:2024-03').must, [
    [fact('correspondent', 'words', 'acme')],
    [fact('correspondent', 'words', 'ACME Ltd')],
    [fact('document_type', 'words', 'invoice')],
    [fact('correspondent', 'missing', 'none')],
    [fact('archive_number', 'range', '100..120')],
    [{ text: 'paid', field: 'note', prefix: false }],
  ]);
  t.deepEqual(parseQuery('a -date:2024-03').mustNot, [[fact('document_date', 'range', '2024-03')]]);
  t.deepEqual(parseQuery('from:acme OR type:letter OR word').must, [
    [fact('correspondent', 'words', 'acme'), fact('document_type', 'words', 'letter'), word('word')],
  ]);
  t.deepEqual(parseQuery('imported:paperless:123 imported:paperless imported:none').must, [
    [fact('imported_from', 'equal', 'paperless:123')],
    [fact('imported_from', 'equal', 'paperless')],
    [fact('imported_from', 'missing', 'none')],
  ]);
  t.deepEqual(parseQuery('from:"none"').must, [[fact('correspondent', 'words', 'none')]], 'somebody of that name');
});

test('a day, a month or a year, from one to another, and before or after', (t) => {
  for (const text of [
    '2024',
    '2024-02',
    '2024-02-29',
    '2024-01..2024-03',
    '2024..',
    '..2024-03-05',
    '>2024-03',
    '>=2024',
    '<2024-03-05',
    '<=2023',
    '2024..2024',
  ])
    t.deepEqual(parseQuery(`date:${text}`).must, [[fact('document_date', 'range', text)]], text);
  for (const text of ['7', '>7', '7..7', '..9', '2147483647'])
    t.deepEqual(parseQuery(`asn:${text}`).must, [[fact('archive_number', 'range', text)]], text);
  t.deepEqual(parseQuery('date:None asn:none type:NONE').must, [
    [fact('document_date', 'missing', 'none')],
    [fact('archive_number', 'missing', 'none')],
    [fact('document_type', 'missing', 'none')],
  ]);
});

test('custom fields by their names, which may stand in quotes', (t) => {
  t.deepEqual(parseQuery('field.amount:>100 Field."Invoice no":7 field.ref:"none" field.paid:none -field.due:2024-03').must, [
    [fact('field.amount', 'value', '>100')],
    [fact('field.Invoice no', 'value', '7')],
    [fact('field.ref', 'words', 'none')],
    [fact('field.paid', 'missing', 'none')],
  ]);
  t.deepEqual(parseQuery('a -field.due:2024-03 field.x:y').mustNot, [[fact('field.due', 'value', '2024-03')]]);
  t.deepEqual(parseQuery('field.x:* field.*:y -field."A b":*'), {
    must: [[fact('field.x', 'given', '*')], [fact('field.*', 'value', 'y')]],
    should: [],
    mustNot: [[fact('field.A b', 'given', '*')]],
  });
  t.deepEqual(parseQuery('field.:x').must, [[word('field.:x')]]);
  t.deepEqual(parseQuery('field." ":x').must, [[word('x')]]);
  t.deepEqual(parseQuery('field.x:> field.x:""'), none);
});

test('what is no day and no number is words', (t) => {
  for (const text of [
    '2023-02-29',
    '2024-13',
    '2024-00',
    '2024-1',
    '0999',
    '20240305',
    'soon',
    '2024-03..2024-01',
    '2024...2025',
    '>',
    '>soon',
    '==2024',
    '2024..soon',
    '2024-03-05-06',
  ]) {
    const terms = parseQuery(`date:${text}`).must.flat();
    t.deepEqual(terms, /[\p{L}\p{N}]/u.test(text) ? [word(`date:${text}`)] : [], text);
  }
  for (const text of ['0', '2147483648', '99999999999', '1.5', 'abc', '9..7'])
    t.deepEqual(parseQuery(`asn:${text}`).must, [[word(`asn:${text}`)]], text);
  t.deepEqual(parseQuery('type:"" date:.. asn:*'), none);
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
    'from:',
    'type:',
    'date:',
    'asn:',
    'note:',
    'none',
    '2024',
    '-03',
    '..',
    '>',
    '<=',
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
  for (const piece of ['a ', '"', '-', '"a" ', 'title:', 'date:', 'date:2024..', 'asn:>', 'from:none ', '* ', 'a OR '])
    t.true(parseQuery(piece.repeat(500_000)).must.length <= 64);
});
