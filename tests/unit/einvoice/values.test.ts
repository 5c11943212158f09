import { ciiDay, compare, isoDay, multiply, parseDecimal, roundToCents, sum } from '@sheaf/einvoice/testing';
import test from 'ava';

const decimal = (text: string) => parseDecimal(text)!;

test('decimals are those of XML, without exponents, separators or words', (t) => {
  for (const text of ['1', '+1', '-1.', '.5', '-0.50', '0001.10']) t.truthy(parseDecimal(text), text);
  for (const text of ['', '-', '.', '1e3', '1,5', '1.234,50', 'NaN', 'INF', '0x10', '1 000', '9'.repeat(41)])
    t.is(parseDecimal(text), undefined, text);
});

test('decimals of other lengths are equal when their values are', (t) => {
  t.is(compare(decimal('10.50'), decimal('10.5')), 0);
  t.is(compare(decimal('-0'), decimal('0.00')), 0);
  t.true(compare(decimal('-2'), decimal('1')) < 0);
  t.is(compare(sum(['0.1', '0.2'].map(decimal)), decimal('0.3')), 0);
});

test('a half of a cent is rounded away from zero', (t) => {
  for (const [text, rounded] of [
    ['1.005', '1.01'],
    ['1.0049', '1.00'],
    ['-1.005', '-1.01'],
    ['2', '2'],
  ] as const)
    t.is(compare(roundToCents(decimal(text)), decimal(rounded)), 0, text);
  t.is(compare(multiply(decimal('0.1'), decimal('-0.1')), decimal('-0.01')), 0);
});

test('dates are days of the calendar, with or without a time or a zone', (t) => {
  t.is(isoDay('2026-03-14'), '2026-03-14');
  t.is(isoDay('2026-03-14+01:00'), '2026-03-14');
  t.is(ciiDay('20260314'), '2026-03-14');
  t.is(ciiDay('202603141530'), '2026-03-14');
  t.is(ciiDay('2026-03-14T00:00:00'), '2026-03-14');
  for (const text of [undefined, '', '14.03.2026', '2026-02-30', '20261301', '2026'] as const) t.is(ciiDay(text), undefined);
});
