import { splitIntoPages } from '@sheaf/extraction/testing/text';
import test from 'ava';
import { array, assert, asyncProperty, integer, stringMatching } from 'fast-check';
import { collect } from '../../support/collect.ts';

async function* inPieces(text: string, length: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

const pagesOf = async (text: string, pieceLength = 1_000): Promise<string[]> => collect(splitIntoPages(inPieces(text, pieceLength)));

test('a form feed ends a page', async (t) => {
  t.deepEqual(await pagesOf('one\ftwo\f\ffour'), ['one', 'two', '', 'four']);
});

test('a form feed at the end opens no further page', async (t) => {
  t.deepEqual(await pagesOf('one\ftwo\f'), ['one', 'two']);
});

test('a file without a word is one empty page', async (t) => {
  t.is((await pagesOf(' \n')).length, 1);
});

test('a long text is cut at line ends after some 3,000 words', async (t) => {
  const line = `${'word '.repeat(9)}end\n`;
  const pages = await pagesOf(line.repeat(1_000));
  t.is(pages.length, 4);
  for (const page of pages) t.true(page.endsWith('end\n'));
});

test('one word without an end is cut as well', async (t) => {
  const pages = await pagesOf('x'.repeat(1_500_000), 65_536);
  t.true(pages.length > 1);
  t.true(pages.every((page) => page.length <= 110_000));
});

test('nothing is lost or doubled, however the pieces come', async (t) => {
  const word = stringMatching(/^[a-zé😀]{1,12}$/u);
  await assert(
    asyncProperty(array(word, { minLength: 1, maxLength: 200 }), integer({ min: 1, max: 50 }), async (words, pieceLength) => {
      const text = Array.from({ length: 60 }, () => words.join(' ')).join('\n');
      t.is((await pagesOf(text, pieceLength * 100)).join(''), text);
    }),
    { numRuns: 20 },
  );
});
