import { makeFormat } from '@sheaf/messages';
import test from 'ava';

const plain = (text: string): string => text.replaceAll(/[\u00A0\u202F]/g, ' ');
const en = makeFormat('en');
const de = makeFormat('de');
const NOW = Date.parse('2026-11-20T12:00:00Z');

test('sizes have the unit that says them shortest', (t) => {
  for (const [bytes, expected] of [
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1_024, '1 kB'],
    [1_540, '1.5 kB'],
    [15_400, '15 kB'],
    [1024 ** 2 - 1, '1 MB'],
    [50 * 1024 ** 2, '50 MB'],
    [2.5 * 1024 ** 3, '2.5 GB'],
    [9_000 * 1024 ** 4, '9,000 TB'],
  ] as const)
    t.is(plain(en.bytes(bytes)), expected);
  t.is(plain(de.bytes(1_540)), '1,5 kB');
});

test('durations never have sixty seconds or sixty minutes', (t) => {
  for (const [seconds, expected] of [
    [0.84, '0.8 sec'],
    [42, '42 sec'],
    [59.7, '1 min 0 sec'],
    [119.6, '2 min 0 sec'],
    [125, '2 min 5 sec'],
    [3_599.9, '1 hr 0 min'],
    [7_199, '2 hr 0 min'],
  ] as const)
    t.is(plain(en.duration(seconds)), expected);
});

test('times are told from now, in the words of the language', (t) => {
  t.is(en.ago('2026-11-20T11:57:00Z', NOW), '3 minutes ago');
  t.is(de.ago('2026-11-19T11:00:00Z', NOW), 'gestern');
  t.is(en.ago('2026-11-20T14:00:00Z', NOW), 'in 2 hours');
  t.is(en.ago('2026-11-20T11:59:59.900Z', NOW), 'now');
  t.is(de.ago('2024-11-20T12:00:00Z', NOW), 'vor 2 Jahren');
});

test('a day is the same day in every time zone', (t) => {
  t.is(en.day('2024-03-05'), 'Mar 5, 2024');
  t.is(de.day('2024-03-05'), '05.03.2024');
  t.is(en.day('someday'), 'someday');
});

test('numbers are grouped as in the region', (t) => {
  t.is(de.number(12_345), '12.345');
  t.is(makeFormat('de-AT').number(12_345), plain(makeFormat('de-AT').number(12_345)).replace(' ', '\u00A0'));
  t.is(plain(de.percent(0.876)), '88 %');
});
