import { findDifferences, namesAmount, PageWording } from '@sheaf/ocr-worker/testing';
import type { EinvoiceFacts } from '@sheaf/vocabulary/einvoices';
import test from 'ava';

const INVOICE: EinvoiceFacts = {
  syntax: 'CII',
  profile: 'EN16931',
  number: 'RE-2026/007',
  type_code: '380',
  issue_date: '2026-03-14',
  due_date: null,
  currency: 'EUR',
  grand_total: '1234.5',
  payable: '0.00',
  seller: { name: 'Müller & Söhne GmbH', trading_name: 'Möbelhaus', vat_id: null, iban: 'DE75512108001245126199' },
  buyer: { name: 'Buyer' },
};

const STATED = [
  'MÜLLER & SÖHNE GmbH',
  'Rechnung RE-2026/007',
  'Datum 14. März 2026',
  'Summe 1.234,50 €',
  'IBAN DE75 5121 0800 1245 1261 99',
];

const differencesOf = (lines: readonly string[], invoice: Partial<EinvoiceFacts> = {}, isWhole = true) =>
  findDifferences({ ...INVOICE, ...invoice }, { pages: [{ page: 1, content: lines.join('\n') }], isWhole, now: new Date('2026-04-01') });

test('what is stated in another form is no difference', (t) => {
  t.deepEqual(differencesOf(STATED), []);
  t.deepEqual(differencesOf(STATED.with(0, 'Möbelhaus')), [], 'the trading name');
  t.deepEqual(differencesOf(STATED.with(2, 'Date: 14/03/2026')), []);
  t.deepEqual(differencesOf([]), [], 'pages without text say nothing');
});

test('what is not stated is a difference, with what stands in its place', (t) => {
  t.deepEqual(differencesOf(STATED.with(4, 'IBAN DE02 1203 0000 0000 2020 51')), [
    { field: 'seller.iban', xml: 'DE75512108001245126199', page: 'DE02120300000000202051' },
  ]);
  t.deepEqual(differencesOf(STATED.with(3, 'Gesamtbetrag: 11.234,50 EUR')), [{ field: 'grand_total', xml: '1234.5', page: '11234.50' }]);
  t.deepEqual(differencesOf(STATED.toSpliced(4, 1)), [{ field: 'seller.iban', xml: 'DE75512108001245126199', page: null }]);
});

test('what may stand on pages that were not looked at is no difference', (t) => {
  t.deepEqual(differencesOf(STATED.toSpliced(4, 1), {}, false), []);
  t.is(differencesOf(STATED.with(4, 'IBAN DE02 1203 0000 0000 2020 51'), {}, false).length, 1);
});

test('an amount counts with any separators, and not as a part of another', (t) => {
  const names = (text: string, amount: string): boolean => namesAmount(new PageWording(text), amount);
  for (const text of [
    '1.234,50',
    '1,234.50',
    '1 234,50',
    '1\u00a0234.50',
    "1'234.50",
    '1234,50 EUR',
    'EUR1234.50',
    '(1.234,50)',
    '2 1.234,50',
  ])
    t.true(names(text, '1234.5'), text);
  for (const text of ['11.234,50', '1.234,501', '12,1234.50', '1.234,05', '1.234']) t.false(names(text, '1234.5'), text);
  t.true(names('119 EUR', '119.00'));
  t.true(names('Total: 119.', '119'));
  t.false(names('119.50', '119'));
  t.true(names('-119,00', '-119.00'));
});
