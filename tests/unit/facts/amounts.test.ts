import { readNumber, scanAmounts, splitIntoAtoms } from '@sheaf/facts/testing';
import test from 'ava';
import { candidatesOf, factOf, valueOf } from './facts-of.ts';

const centsOf = (text: string, groupsBySpace = false): number[] =>
  scanAmounts(splitIntoAtoms(text), groupsBySpace).map(({ cents }) => cents);

test('an amount is read with either sign for decimals and for thousands', (t) => {
  const amounts: Readonly<Record<string, number>> = {
    '1,234.50': 123_450,
    '1.234,50': 123_450,
    "1'234.50": 123_450,
    '1,00,000.00': 10_000_000,
    '12.30': 1_230,
    '.05': 5,
    '€50,-': 5_000,
    '-3.20': -320,
    'rounding -0.02': -2,
    '-RM0.01': -1,
    'RM -0.01': -1,
    'adj - 0.01': 1,
    '0.02-': -2,
    'RM20.40': 2_040,
    'x3.11': 311,
    '1.000 €': 100_000,
    'EUR 25': 2_500,
  };
  for (const [text, cents] of Object.entries(amounts)) t.deepEqual(centsOf(text), [cents], text);
});

test('a space parts thousands only in languages that write so', (t) => {
  t.deepEqual(centsOf('2 100,00', true), [210_000]);
  t.deepEqual(centsOf('2 100,00'), [10_000]);
});

test('quantities, percentages, times and parts of longer numbers are no amounts', (t) => {
  for (const text of ['19.00 %', '1.50 kg', '10.30:15', '12.34.56', 'A12.50', '5', '1.234', '3/12.50'])
    t.deepEqual(centsOf(text), [], text);
});

test('a number with more digits than can be counted exactly is no amount', (t) => {
  t.is(readNumber(splitIntoAtoms('12345678901234.50'), 0, false)?.hasDecimals, false);
});

test('a row that adds a tax states the tax, and a sum to which it is added is net', (t) => {
  const text = 'Summe zzgl. USt 1.034,50\nzzgl. 19 % USt 196,56\nRechnungsbetrag 1.231,06';
  t.is(valueOf('tax', text, { languages: ['de'] }), '196.56');
  t.is(valueOf('net', text, { languages: ['de'] }), '1034.50');
});

const TOTALS: Readonly<Record<string, string>> = {
  en: 'Subtotal 100.00\nVAT 20% 20.00\nTotal due 120.00',
  de: 'Nettobetrag 100,00\nMwSt. 20% 20,00\nGesamtbetrag 120,00',
  fr: 'Total HT 100,00\nTVA 20% 20,00\nTotal TTC 120,00',
  es: 'Base imponible 100,00\nIVA 20% 20,00\nTotal a pagar 120,00',
  it: 'Imponibile 100,00\nIVA 20% 20,00\nTotale fattura 120,00',
  nl: 'Totaal excl. btw 100,00\nBtw 20% 20,00\nTotaal te betalen 120,00',
  pt: 'Base tributável 100,00\nIVA 20% 20,00\nTotal a pagar 120,00',
  pl: 'Wartość netto 100,00\nPodatek VAT 20% 20,00\nDo zapłaty 120,00',
};

for (const [language, text] of Object.entries(TOTALS)) {
  test(`total, net and tax are told apart in ${language}`, (t) => {
    t.is(valueOf('total', text, { languages: [language] }), '120.00');
    t.is(valueOf('net', text, { languages: [language] }), '100.00');
    t.is(valueOf('tax', text, { languages: [language] }), '20.00');
  });
}

test('what was handed over and returned is not the total', (t) => {
  t.is(valueOf('total', 'TOTAL 30.90\nCASH 50.00\nCHANGE 19.10'), '30.90');
});

test('cash less change is the total where no word says it', (t) => {
  t.is(valueOf('total', 'PARKING 5.00\nCASH 10.00\nCHANGE 5.00'), '5.00');
  t.is(valueOf('total', 'SUB TOTAL 30.00\nxx 18.00\nCASH 20.00\nCHANGE DUE 2.00'), '18.00');
});

test('the total after rounding counts', (t) => {
  t.is(valueOf('total', 'TOTAL 72.74\nROUNDING 0.01\nTOTAL 72.75\nCASH 100.00'), '72.75');
  t.is(valueOf('total', 'Net 82.15\nGST 4.93\nGrand total 87.08\nRounding 0.02\nTotal 87.10'), '87.10');
  t.is(valueOf('total', 'Gift 31.47\nNet 29.69\nGST 1.78\nTOTAL INCL GST 31.47\nROUNDING -0.02\nTOTAL 31.45'), '31.45');
  t.is(valueOf('total', 'Grand total 87.08\nRounding\nNet total 87.10'), '87.10');
  t.is(valueOf('total', 'TOTAL SALES INCL GST 72.74\nROUNDING ADJUSTMENT .01\nROUNDING 72.75\nCASH 100.00'), '72.75');
});

test('without a word the sum of the lines before it is the total', (t) => {
  const text = 'Apples 3.10\nBread 4.25\nMilk 1.15\n8.50\n99.99';
  t.like(factOf('total', text), { value: '8.50', rule: 'total.lines' });
});

test('the sum of a table of taxes is not the total', (t) => {
  t.is(valueOf('total', 'TOTAL 112.45\nTAX SUMMARY\nTOTAL : 106.10 6.35'), '112.45');
  t.is(valueOf('total', 'xx 112.45\nCASH 120.00\nCHANGE 7.55\nTOTAL : 106.10 6.35'), '112.45');
});

test('what is called a total below the heading of a table of taxes is not the total, also where its row is torn', (t) => {
  const receipt = 'Milk 21.20\nCota Sales : 21.20\nCASH 100.00\nChange 78.80';
  t.is(valueOf('total', `${receipt}\nGST Tax SUMMARY\nTotal : 20. 00 1.20`), '21.20');
  t.is(valueOf('total', 'Summe 119,00\nSteuerübersicht\n19 % 100,00\nGesamt: 100,00', { languages: ['de'] }), '119.00');
  t.is(valueOf('total', `Tax Summary\n${'x 1.00\n'.repeat(8)}Total 30.00`), '30.00', 'such a table is short');
});

test('net and tax in one row are found by their sum', (t) => {
  const text = 'TOTAL 112.45\nTAX CODE  AMOUNT  TAX\nSR 6 106.10 6.35';
  t.like(factOf('net', text), { value: '106.10', rule: 'net.row' });
  t.like(factOf('tax', text), { value: '6.35', rule: 'tax.row' });
});

test('a label in the row above belongs to an amount that stands alone', (t) => {
  t.is(valueOf('total', 'Amount due\n120.00\nReference\n500.00'), '120.00');
});

test('the other amounts are candidates', (t) => {
  t.deepEqual(candidatesOf('total', 'Subtotal 100.00\nTotal 120.00').toSorted(), ['100.00', '120.00']);
});

test('the currency is that beside the amounts', (t) => {
  const currencies: Readonly<Record<string, string>> = {
    'Total € 12,00': 'EUR',
    'Total 12.00 USD': 'USD',
    'Total £12.00': 'GBP',
    'TOTAL RM12.00': 'MYR',
    'Do zapłaty 12,00 zł': 'PLN',
    'Total CHF 12.00': 'CHF',
    'Total $12.00 CAD': 'CAD',
    'Amount (EUR)\n12.00': 'EUR',
  };
  for (const [text, currency] of Object.entries(currencies)) t.is(valueOf('currency', text), currency, text);
  t.is(valueOf('currency', 'Total 12.00, try all'), undefined);
});
