import { decodePageWords, encodePageWords, type PageWord } from '@sheaf/vocabulary/page-words';
import test from 'ava';

const word = (text: string, x: number, y: number, confidence = 1): PageWord => ({
  text,
  box: { x, y, width: 0.05, height: 0.01 },
  confidence,
});
const SIZE = { width: 595.2, height: 841.9 };
const STEP = 1 / 4_096;

const decoded = (text: string, words: readonly PageWord[]) => {
  const bytes = encodePageWords(text, { ...SIZE, words });
  return bytes && decodePageWords(text, bytes);
};

test('words come back with their text, place and confidence', (t) => {
  const text = 'Total amount\n\n12,50 EUR';
  const words = [word('Total', 0.1, 0.1, 0.93), word('amount', 0.2, 0.1), word('12,50', 0.1, 0.9, 0.5), word('EUR', 0.2, 0.9, 0)];
  const back = decoded(text, words);
  t.deepEqual([back?.width, back?.height], [595.2, 841.9]);
  t.deepEqual(
    back?.words.map(({ text: shown, confidence, start }) => [shown, confidence, start]),
    [
      ['Total', 0.93, 0],
      ['amount', 1, 6],
      ['12,50', 0.5, 14],
      ['EUR', 0, 20],
    ],
  );
  for (const [at, { box }] of (back?.words ?? []).entries())
    for (const side of ['x', 'y', 'width', 'height'] as const) t.true(Math.abs(box[side] - (words[at]?.box[side] ?? 0)) <= STEP);
});

test('a word without the hyphen that parted it is found, one that the text does not have is left out', (t) => {
  const back = decoded('Kranken\nversicherung ends', [word('Kranken-', 0.1, 0.1), word('nowhere', 0.2, 0.1), word('ends', 0.5, 0.2)]);
  t.deepEqual(
    back?.words.map(({ text }) => text),
    ['Kranken', 'ends'],
  );
});

test('after words that are missing the next one is looked for further on', (t) => {
  const missing = Array.from({ length: 20 }, (_, n) => word(`missing${n}`, 0.1, 0.1));
  const back = decoded(`${'other words of a cell '.repeat(40)}here`, [...missing, word('here', 0.3, 0.3)]);
  t.is(back?.words.length, 1);
});

test('what is outside the page is cut off, and left out where nothing is inside', (t) => {
  const back = decoded('in out', [{ ...word('in', -0.02, 0.995) }, word('out', 1.2, 0.5)]);
  t.deepEqual(
    back?.words.map(({ text, box }) => [text, box.x, Math.round((box.y + box.height) * 4_096)]),
    [['in', 0, 4_096]],
  );
  t.is(encodePageWords('out', { ...SIZE, words: [word('out', 2, 2)] }), undefined);
});

test('other bytes, and those of another text, are no words', (t) => {
  const bytes = encodePageWords('one two', { ...SIZE, words: [word('one', 0, 0), word('two', 0.1, 0)] });
  t.truthy(bytes);
  t.is(bytes && decodePageWords('one', bytes), undefined);
  t.is(decodePageWords('one two', new Uint8Array()), undefined);
  t.is(decodePageWords('one two', Uint8Array.from([1, 2, 3, 4])), undefined);
  t.is(bytes && decodePageWords('one two', bytes.subarray(0, 5)), undefined);
});

test('a word of a page of text costs at most eight bytes', (t) => {
  const words: PageWord[] = [];
  const names = Array.from({ length: 600 }, (_, n) => `w${(n * 7_919) % 9_973}`.padEnd(3 + ((n * 31) % 9), 'x'));
  for (const [n, name] of names.entries()) {
    const width = name.length * 0.0113 + (n % 7) * 0.0007;
    const box = {
      x: 0.08 + (n % 10) * 0.085 + (n % 3) * 0.004,
      y: 0.1 + Math.floor(n / 10) * 0.013 + (n % 5) * 0.0006,
      width,
      height: 0.011 + (n % 4) * 0.0005,
    };
    words.push({ text: name, box, confidence: 0.9 + (n % 10) / 100 });
  }
  const bytes = encodePageWords(names.join(' '), { ...SIZE, words });
  t.true((bytes?.length ?? 0) <= 600 * 8, `${(bytes?.length ?? 0) / 600} bytes`);
});
