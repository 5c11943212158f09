import { parseValue } from '@sheaf/documents/testing/custom-fields';
import type { FieldType } from '@sheaf/vocabulary/custom-fields';
import test from 'ava';

/** What is stored of a value, or the rule that it breaks. */
const parsed = (type: FieldType, given: Parameters<typeof parseValue>[1]): unknown => {
  const result = parseValue({ type, choices: ['a'] }, given);
  if (typeof result === 'function') return result('fields.x').code;
  return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== null));
};

test('numbers keep what every client can keep, and no more', (t) => {
  for (const [given, stored] of [
    [0, '0'],
    [-0, '0'],
    [100, '100'],
    [-1.5, '-1.5'],
    [0.000001, '0.000001'],
    [999_999_999_999_999, '999999999999999'],
    [123_456_789.123456, '123456789.123456'],
  ] as const)
    t.deepEqual(parsed('number', given), { numberValue: stored }, String(given));
  for (const given of [1e15, -1e15, 1e300, 0.0000001, 1 / 3, 1_234_567_890.123456, Number.MAX_SAFE_INTEGER])
    t.is(parsed('number', given), 'too_many_digits', String(given));
});

test('integers have no decimals', (t) => {
  for (const given of [0, -7, 3.0, 999_999_999_999_999]) t.deepEqual(parsed('integer', given), { numberValue: String(given) });
  for (const given of [1.5, -0.1, '3', true]) t.is(parsed('integer', given), 'wrong_type', String(given));
  t.is(parsed('integer', 1e15), 'too_many_digits');
});

test('amounts have the decimals of their currency, or as many as were given', (t) => {
  for (const [given, numberValue, currency] of [
    ['1 EUR', '1.00', 'EUR'],
    ['0.1 eur', '0.10', 'EUR'],
    ['-0 EUR', '0.00', 'EUR'],
    ['1.2345 EUR', '1.2345', 'EUR'],
    ['1.2500000 EUR', '1.25', 'EUR'],
    ['1 JPY', '1', 'JPY'],
    ['1 BHD', '1.000', 'BHD'],
    ['007 XYZ', '7.00', 'XYZ'],
    ['  12.50   EUR ', '12.50', 'EUR'],
  ] as const)
    t.deepEqual(parsed('amount', given), { numberValue, currency }, given);
  t.deepEqual(parsed('amount', { amount: '5', currency: 'usd' }), { numberValue: '5.00', currency: 'USD' });
  for (const given of [
    'EUR 1',
    '1',
    '1 EUR 2',
    '',
    '1,5 EUR',
    '0x1 EUR',
    '+1 EUR',
    '1. EUR',
    '.5 EUR',
    '1 EU',
    '1 ÉUR',
    `${'1'.repeat(16)} EUR`,
  ])
    t.is(parsed('amount', given), 'not_amount', given);
  t.is(parsed('amount', `${'1'.repeat(14)} EUR`), 'too_many_digits');
});

test('only addresses that a browser opens as a page are addresses', (t) => {
  for (const given of ['http://a', 'HTTPS://example.org:8443/ä?x=%20#y', 'https://[::1]/', 'https://user@example.org/'])
    t.deepEqual(parsed('url', given), { textValue: given }, given);
  for (const given of [
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'https:example.org',
    '//example.org',
    'ftp://example.org',
    'data:text/html,x',
    'https://',
    'https://a b',
    'https://a\tb',
    'https://a\u0085b',
    'http://[x',
  ])
    t.is(parsed('url', given), 'not_address', given);
});

test('days are days of the calendar', (t) => {
  t.deepEqual(parsed('date', '2024-02-29'), { dateValue: '2024-02-29' });
  for (const given of ['2023-02-29', '2024-13-01', '2024-00-10', '24-01-01', '2024-1-1', '0999-12-31', '20240101', 20_240_101, true])
    t.is(parsed('date', given), 'not_date', String(given));
});
