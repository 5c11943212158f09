// Two scans of one paper and two papers with one form, in texts that were written for it.
import { compareTexts, figuresOf, prepareText, tokensOf } from '@sheaf/filing/testing/near-duplicates';
import test from 'ava';
import { threadCpuMs } from '../../support/thread-cpu-ms.ts';

const BILL = `Alder Office Supply Ltd, 12 Harbour Street, Riverton. Invoice number 884213 date 17.05.2024. Customer Quentin Marlowe.
  Printer paper 4711 price 88.20, desk lamp 5522 price 31.75, delivery free of charge. Total due EUR 119.95, payable within fourteen days to
  the account below without any deduction. The goods remain our property until they have been paid in full.`;

const compare = (one: string, other: string) => {
  const [first, second] = [prepareText(tokensOf(one)), prepareText(tokensOf(other))];
  return { ...compareTexts(first, second), ...figuresOf(first, second) };
};

const isNear = (one: string, other: string): boolean => compare(one, other).isNearDuplicate;

test('a text is a near-duplicate of itself, in either order, and of itself with characters recognised badly', (t) => {
  t.like(compare(BILL, BILL), { isNearDuplicate: true, similarity: 1, words: 1, digits: 0, letters: 0 });
  const worn = BILL.replace('Harbour', 'Harbcur')
    .replace('88.20', '86.20')
    .replace('deduction', 'deduct1on')
    .replace('property', 'propenty');
  t.true(isNear(BILL, worn));
  t.deepEqual(compare(BILL, worn).similarity, compare(worn, BILL).similarity);
  t.true(isNear(BILL, worn.replace('Customer Quentin Marlowe.', '')), 'what one scan lost is not held against it');
});

test('a form that is filled in with other numbers is none, nor one with another text below its head', (t) => {
  const other = BILL.replace('884213', '901177').replace('17.05.2024', '02.11.2024').replace('119.95', '333.10').replace('31.75', '245.35');
  t.false(isNear(BILL, other));
  t.true(compare(BILL, other).words > 0.95);
  const rest = Array.from({ length: 60 }, (_, at) => `${'bdfgkmpt'.charAt(at % 8)}o${'lnrs'.charAt(at % 4)}${'aeiou'.charAt(at % 5)}via`);
  t.false(isNear(`${BILL} ${rest.slice(0, 30).join(' ')}`, `${BILL} ${rest.slice(30).toReversed().join('x ')}`));
});

test('texts about other things, without words or without anything are none', (t) => {
  t.false(isNear(BILL, 'Zoo ticket 7781 valid 24.12.2019 for two adults and three children at gate 5 for 96.40'));
  t.false(isNear('12 34 56 78 90', '12 34 56 78 90'));
  t.like(compare('', ''), { isNearDuplicate: false, similarity: 0 });
});

test('hostile texts take little time', (t) => {
  const beganMs = threadCpuMs();
  const words = Array.from(
    { length: 6_000 },
    (_, at) => `w${String.fromCodePoint(0x61 + (at % 26), 0x61 + (Math.floor(at / 26) % 26))}${'z'.repeat(at % 3)}o`,
  );
  for (const [one, other] of [
    [words.join(' '), words.toReversed().join(' ')],
    ['abc '.repeat(4_500), 'abd '.repeat(4_500)],
    ['漢字'.repeat(9_000), '字漢'.repeat(9_000)],
    [words.map((word) => `${word} same`).join(' '), words.map((word) => `${word}x same ${word}`).join(' ')],
  ] as const)
    compare(one, other);
  const takenMs = threadCpuMs() - beganMs;
  t.true(takenMs < 3_000, String(takenMs));
});
