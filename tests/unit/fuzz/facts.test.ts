import { type Fact, findFacts, indexCorrespondents } from '@sheaf/facts';
import { FACT_KINDS } from '@sheaf/vocabulary/facts';
import test from 'ava';
import { array, constantFrom, double, record } from 'fast-check';
import { fuzz, spliced } from '../../support/fuzz.ts';

const NOW = new Date('2026-11-25');
const LAST_DAY = '2027-11-25';
const SIGNS = [
  '\n',
  ' ',
  '   ',
  '.',
  ',',
  '/',
  '-',
  ':',
  "'",
  '(',
  ')',
  '%',
  '#',
  '€',
  '$',
  '@',
  '\0',
  '\ud800',
  '🗂',
  'İ',
  'ß',
  '年',
  '月',
  '日',
];
const NUMBERS = ['0', '1', '03', '31', '99', '2024', '0590', '20240503', '1,000', '9'.repeat(30), 'DE89370400440532013000', 'DE123456789'];
const WORDS =
  'May mai de st Date born due Total net tax rounding cash change excl RM IBAN DE CHE VAT GST ID Invoice no Acme Tools GmbH SDN www. example __proto__ constructor toString';
const PIECES = [SIGNS, NUMBERS, WORDS.split(' '), ['account holder', 'bill to']].flat();

const correspondents = indexCorrespondents([{ id: '1', name: 'Acme Tools GmbH', domains: ['a.example'], vatIds: ['DE123456789'] }]);

const assertSound = (candidates: readonly Fact[]): void => {
  for (const { kind, value, confidence, box, page } of candidates) {
    if (!FACT_KINDS.includes(kind) || value === '' || page !== 1) throw new Error(`${kind} ${value}`);
    if (!(confidence >= 0 && confidence <= 1)) throw new Error(`confidence ${confidence}`);
    if (kind.endsWith('_date') && (value > LAST_DAY || new Date(value).toISOString().slice(0, 10) !== value)) throw new Error(value);
    if (['total', 'net', 'tax'].includes(kind) && !/^-?\d+\.\d\d$/u.test(value)) throw new Error(value);
    if (box !== undefined && Object.values(box).some((edge) => Number.isNaN(edge))) throw new Error('a box without a place');
  }
};

test.serial('any text has sound facts or none', async (t) => {
  await fuzz(spliced(PIECES), (text) => {
    assertSound(findFacts({ pages: [{ number: 1, text }], languages: ['en', 'toString'] }, { now: NOW, correspondents }).candidates);
  });
  t.pass();
});

const edge = double({ min: -1, max: 2 });
const word = record({
  text: constantFrom(...PIECES),
  confidence: double({ min: 0, max: 1 }),
  box: record({ x: edge, y: edge, width: edge, height: edge }),
});

test.serial('words wherever they stand have sound facts or none', async (t) => {
  await fuzz(array(word, { maxLength: 60 }), (words) => {
    assertSound(findFacts({ pages: [{ number: 1, text: '', words }], languages: ['fr'] }, { now: NOW, correspondents }).candidates);
  });
  t.pass();
});
