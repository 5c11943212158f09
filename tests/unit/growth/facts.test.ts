import { findFacts, indexCorrespondents } from '@sheaf/facts';
import { domainsIn, linesOf, PAGE_LIMITS, scanAmounts, scanDates, scanIbans, splitIntoAtoms } from '@sheaf/facts/testing';
import test from 'ava';
import { growthOf, MAX_LINEAR_GROWTH } from '../../support/growth.ts';

const NOW = new Date('2026-11-25');
const CONTEXT = { now: NOW, languages: ['en'] };

const repeated = (text: string) => (size: number) => text.repeat(size);

const scanAll = (text: string): void => {
  const atoms = splitIntoAtoms(text);
  scanDates(atoms, CONTEXT);
  scanAmounts(atoms, true);
  scanIbans(atoms);
  domainsIn(atoms);
};

const TEXTS = {
  words: repeated('word '),
  'letters without a space': repeated('a'),
  digits: repeated('1'),
  'dates without an end': repeated('1.1.'),
  'dates with words': repeated('3 May '),
  'connecting words': repeated('1 de '),
  'thousands without an end': repeated('1,000,'),
  'groups of digits': repeated('000 '),
  'beginnings of IBANs': repeated('DE89 '),
  'domains without an end': repeated('a.'),
  'signs and spaces': repeated('- '),
} as const;

for (const [name, make] of Object.entries(TEXTS)) {
  test.serial(`looking for dates and numbers takes time in proportion to the line: ${name}`, async (t) => {
    t.true((await growthOf(make, scanAll, 2_000)) <= MAX_LINEAR_GROWTH);
  });
}

const PAGES = {
  'rows of dates': repeated('Date 03/04/2025 - 05/06/2025\n'),
  'rows of amounts': repeated('Total 1.00 2.00 3.00\n'),
  'rows of numbers': repeated('Invoice no 4711 VAT DE123456789 a@b.example\n'),
  'names in rows': repeated('Acme Tools Inc. Account holder: Acme\n'),
} as const;

const correspondents = indexCorrespondents(Array.from({ length: 100 }, (_, n) => ({ id: `${n}`, name: `Acme Tools ${n}` })));

for (const [name, make] of Object.entries(PAGES)) {
  test.serial(`finding facts takes time in proportion to the pages: ${name}`, async (t) => {
    const pagesOf = (size: number) => Array.from({ length: size }, (_, at) => ({ number: at + 1, text: make(10) }));
    const run = (pages: ReturnType<typeof pagesOf>) => findFacts({ pages, languages: ['en'] }, { now: NOW, correspondents });
    t.true((await growthOf(pagesOf, run, 2)) <= MAX_LINEAR_GROWTH);
  });
}

test.serial('a row as long as a page takes time in proportion to it', async (t) => {
  const pageOf = (size: number) => ({
    number: 1,
    text: 'Total 1.00 on 03/04/2025 DE89 1234 no 12 '.repeat(size).slice(0, PAGE_LIMITS.chars),
  });
  const run = (page: ReturnType<typeof pageOf>) => findFacts({ pages: [page], languages: ['en'] }, { now: NOW });
  t.true((await growthOf(pageOf, run, 20)) <= MAX_LINEAR_GROWTH);
});

test.serial('rows of words take time in proportion to their number', async (t) => {
  const wordsOf = (size: number) =>
    Array.from({ length: size }, (_, at) => ({
      text: 'x',
      confidence: 1,
      box: { x: (at % 9) / 9, y: Math.floor(at / 9) / size, width: 0.05, height: 0.001 },
    }));
  const run = (words: ReturnType<typeof wordsOf>) => linesOf({ number: 1, text: '', words: words.slice(0, PAGE_LIMITS.words) });
  t.true((await growthOf(wordsOf, run, 200)) <= MAX_LINEAR_GROWTH);
});
