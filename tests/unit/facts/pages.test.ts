import { findFacts } from '@sheaf/facts';
import { linesOf, PAGE_LIMITS } from '@sheaf/facts/testing';
import type { PageWord } from '@sheaf/vocabulary/page-words';
import test from 'ava';

const HEIGHT = 0.02;
const CHAR = 0.01;

/** Words at the given places, as wide as their characters. */
const wordsAt = (...places: readonly (readonly [text: string, x: number, y: number])[]): PageWord[] =>
  places.map(([text, x, y]) => ({ text, confidence: 0.9, box: { x, y, width: text.length * CHAR, height: HEIGHT } }));

const factsOf = (words: readonly PageWord[]) =>
  findFacts({ pages: [{ number: 3, text: '', words }], languages: ['en'] }, { now: new Date('2026-11-25') }).facts;

const near = (one: number | undefined, other: number): boolean => Math.abs((one ?? Number.NaN) - other) < 1e-9;

test('a fact has the page and the box around its words', (t) => {
  const words = wordsAt(['Date:', 0.1, 0.1], ['3', 0.2, 0.1], ['May', 0.22, 0.1], ['2024', 0.26, 0.1]);
  const [date] = factsOf(words);
  t.like(date, { kind: 'document_date', value: '2024-05-03', page: 3 });
  t.true(near(date?.box?.x, 0.2) && near(date?.box?.y, 0.1) && near(date?.box?.width, 0.1) && near(date?.box?.height, HEIGHT));
});

test('a fact in a part of a word has that part of its box', (t) => {
  const [date] = factsOf(wordsAt(['DATE:03/05/2024', 0.1, 0.1]));
  t.true(near(date?.box?.x, 0.15) && near(date?.box?.width, 0.1));
});

test('without positions a fact has no box', (t) => {
  const { facts } = findFacts({ pages: [{ number: 1, text: 'Date: 2024-05-03' }], languages: [] }, { now: new Date('2026-11-25') });
  t.is(facts[0]?.box, undefined);
});

test('a label and a value far apart in one row belong together, whatever the order of the words', (t) => {
  const words = wordsAt(['30.90', 0.8, 0.301], ['50.00', 0.8, 0.35], ['TOTAL', 0.1, 0.3], ['CASH', 0.1, 0.35]);
  t.is(factsOf(words).find(({ kind }) => kind === 'total')?.value, '30.90');
});

test('rows of a photograph that is a little turned stay rows', (t) => {
  const words = [0, 1, 2, 3].flatMap((row) =>
    wordsAt(...[0, 1, 2, 3].map((column) => [`r${row}c${column}`, 0.1 + column * 0.2, 0.1 + row * 0.03 + column * 0.012] as const)),
  );
  const lines = linesOf({ number: 1, text: '', words });
  t.deepEqual(
    lines.map(({ text }) => text.split(/ +/u).map((word) => word.slice(0, 2))),
    [0, 1, 2, 3].map((row) => Array.from({ length: 4 }, () => `r${row}`)),
  );
});

test('wide gaps between words part columns, as in a text', (t) => {
  const [line] = linesOf({ number: 1, text: '', words: wordsAt(['one', 0.1, 0.1], ['two', 0.14, 0.1], ['far', 0.6, 0.1]) });
  t.is(line?.text, 'one two   far');
});

test('the head of a column is found by its place over the value', (t) => {
  const head = wordsAt(['Order', 0.1, 0.1], ['Due', 0.3, 0.1], ['date', 0.34, 0.1], ['Invoice', 0.6, 0.1], ['date', 0.68, 0.1]);
  const row = wordsAt(['4711', 0.1, 0.14], ['22-09-2022', 0.3, 0.14], ['08-09-2022', 0.6, 0.14]);
  const facts = factsOf([...head, ...row]);
  t.is(facts.find(({ kind }) => kind === 'document_date')?.value, '2022-09-08');
  t.is(facts.find(({ kind }) => kind === 'due_date')?.value, '2022-09-22');
});

test('a page beyond the limits is cut', (t) => {
  const words = wordsAt(...Array.from({ length: PAGE_LIMITS.words + 10 }, (_, at) => ['word', 0.1, at / 10_000] as const));
  t.is(
    linesOf({ number: 1, text: '', words }).reduce((sum, { spans }) => sum + spans.length, 0),
    PAGE_LIMITS.words,
  );
  t.is(linesOf({ number: 1, text: 'x'.repeat(PAGE_LIMITS.chars + 10) })[0]?.text.length, PAGE_LIMITS.chars);
});

test('of a long document the first pages and the last ones count', (t) => {
  const dateOn = (page: number) => {
    const pages = Array.from({ length: 100 }, (_, at) => ({ number: at + 1, text: at + 1 === page ? 'Date: 2024-05-03' : 'text' }));
    const { facts } = findFacts({ pages, languages: [] }, { now: new Date('2026-11-25') });
    return facts.find(({ kind }) => kind === 'document_date')?.page;
  };
  t.is(dateOn(20), 20);
  t.is(dateOn(21), undefined);
  t.is(dateOn(97), 97);
});

test('there are at most ten candidates of a kind, and every confidence is between 0 and 1', (t) => {
  const text = Array.from({ length: 40 }, (_, at) => `Total ${at + 1}.00 on 2024-05-${String((at % 28) + 1).padStart(2, '0')}`).join('\n');
  const { candidates } = findFacts({ pages: [{ number: 1, text }], languages: ['en'] }, { now: new Date('2026-11-25') });
  t.is(candidates.filter(({ kind }) => kind === 'document_date').length, 10);
  t.is(candidates.filter(({ kind }) => kind === 'total').length, 10);
  t.true(candidates.every(({ confidence }) => confidence >= 0 && confidence <= 1));
});
