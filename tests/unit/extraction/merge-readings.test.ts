import { mergeReadings, type OcrReading, toReading } from '@sheaf/extraction/testing/ocr';
import test from 'ava';
import { growthOf } from '../../support/growth.ts';

/** A reading of lines such as 'Dear:90 Sir:80': words with their confidence in percent, each a tenth of the page wide; `_` is a gap. */
const reading = (...lines: readonly string[]): OcrReading =>
  toReading(
    lines.map((line, row) => ({
      paragraph: '1',
      words: line.split(' ').flatMap((word, column) => {
        const [text = '', confidence = '0'] = word.split(':');
        const box = { x: column / 10, y: row / 10, width: 0.09, height: 0.05 };
        return text === '_' ? [] : [{ text, confidence: Number(confidence) / 100, box }];
      }),
    })),
  );

test('what most readings are sure of stands, place by place', (t) => {
  const merged = mergeReadings([
    reading('Invoice:95 nurnber:60 12:90', 'Tota1:50 100.00:90'),
    reading('Invoice:90 number:80 12:85', 'Total:80 1O0.00:40'),
    reading('lnvoice:40 number:70 12:80', 'Total:70 100.00:80'),
  ]);
  t.is(merged.text, 'Invoice number 12\nTotal 100.00');
});

test('what one reading alone has and is not sure of is left out, and kept if it is', (t) => {
  const full = 'Dear:95 Sir:95 or:95 Madam:95';
  t.is(mergeReadings([reading(`${full} ~;:20`), reading(full), reading(full)]).text, 'Dear Sir or Madam');
  t.is(mergeReadings([reading(full), reading(`${full} regards:90`), reading(full)]).text, 'Dear Sir or Madam regards');
});

test('a line that the best reading has not stands between its neighbours', (t) => {
  const best = reading('first:95 line:95 of:95', '_', 'third:95 line:95 here:95');
  const other = reading('first:90 line:90 of:90', 'second:85 line:85', 'third:90 line:90');
  t.deepEqual(mergeReadings([other, best]).text.split(/\n+/), ['first line of', 'second line', 'third line here']);
});

test('a reading that found next to nothing has no say in what others found', (t) => {
  const found = reading('one:60 two:60 three:60', 'four:60 five:60 six:60');
  t.is(mergeReadings([reading('~:30'), found, reading('=:20')]).text, found.text);
});

test('words that one reading takes apart and another one together are one place', (t) => {
  const wide = { x: 0, y: 0, width: 0.19, height: 0.05 };
  const together = toReading([{ paragraph: '1', words: [{ text: 'goodmorning', confidence: 0.5, box: wide }] }]);
  t.is(mergeReadings([together, reading('good:90 morning:90')]).text, 'good morning');
});

test('one reading is as it was, and none is empty', (t) => {
  const one = reading('alone:30');
  t.is(mergeReadings([one]), one);
  t.is(mergeReadings([]).text, '');
});

test('merging takes time in proportion to the words of a page', async (t) => {
  const make = (lines: number): OcrReading[] => {
    const text = Array.from({ length: lines }, (_, row) => ({
      paragraph: '1',
      words: Array.from({ length: 10 }, (__, column) => ({
        text: 'word',
        confidence: 0.5,
        box: { x: column / 10 + row / lines / 20, y: row / lines, width: 0.04, height: 1 / lines },
      })),
    }));
    return [toReading(text), toReading(text), toReading(text)];
  };
  t.true((await growthOf(make, mergeReadings, 50)) <= 6, 'it is not worse than the square of its lines');
});
