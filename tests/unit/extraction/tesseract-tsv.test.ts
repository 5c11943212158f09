import { parseOrientation, parseTsv, scoreOf, toReading } from '@sheaf/extraction/testing/ocr';
import test from 'ava';

const row = (...[block, paragraph, line, word, conf, text]: (number | string)[]): string =>
  `5\t1\t${block}\t${paragraph}\t${line}\t${word}\t0\t0\t9\t9\t${conf}\t${text}`;

const TSV = [
  'level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext',
  '4\t1\t1\t1\t1\t0\t0\t0\t9\t9\t-1\t',
  row(1, 1, 1, 1, 90, 'Dear'),
  row(1, 1, 1, 2, 80, 'Sir'),
  row(1, 1, 2, 1, 70, 'or'),
  row(1, 1, 2, 2, 95, ' '),
  row(1, 2, 1, 1, 60, 'Madam'),
].join('\n');

test('words become lines, and a new paragraph an empty line', (t) => {
  t.is(toReading(parseTsv(TSV)).text, 'Dear Sir\nor\n\nMadam');
});

test('confidence is 0 to 1, and long words weigh more', (t) => {
  const { confidence, words } = toReading(parseTsv(TSV));
  t.is(words.length, 4);
  t.is(confidence.toFixed(4), ((4 * 0.9 + 3 * 0.8 + 2 * 0.7 + 5 * 0.6) / 14).toFixed(4));
});

test('a page on which nothing was found has no confidence', (t) => {
  t.deepEqual(toReading(parseTsv('')), { text: '', confidence: 0, words: [], lines: [] });
});

test('a whole page of likely words is better than one word that is certain', (t) => {
  const certain = toReading(parseTsv(row(1, 1, 1, 1, 99, 'total')));
  const whole = toReading(parseTsv([1, 2, 3].map((word) => row(1, 1, 1, word, 70, 'amount')).join('\n')));
  t.true(scoreOf(whole) > scoreOf(certain));
});

test('an orientation that is little more than a guess is none', (t) => {
  t.is(parseOrientation('Rotate: 270\nOrientation confidence: 20.21\n', 1), 270);
  t.is(parseOrientation('Rotate: 180\nOrientation confidence: 0.06\n', 1), undefined);
  t.is(parseOrientation('', 1), undefined);
});

test('words have boxes in fractions of the page', (t) => {
  const page = '1\t1\t0\t0\t0\t0\t0\t0\t200\t100\t-1\t';
  const [line] = parseTsv([page, '5\t1\t1\t1\t1\t1\t20\t10\t50\t5\t90\tDear'].join('\n'));
  t.deepEqual(line?.words[0]?.box, { x: 0.1, y: 0.1, width: 0.25, height: 0.05 });
});
