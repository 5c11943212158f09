import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPgm } from '@sheaf/extraction/testing/images';
import { parseOrientation, parseTsv } from '@sheaf/extraction/testing/ocr';
import { findUnseen, putOnPages, readSourceParagraphs, SheetReader } from '@sheaf/extraction/testing/office';
import { isUsableTextLayer, parseGeometry, textLayers } from '@sheaf/extraction/testing/pdf';
import { detectEncoding, splitIntoPages } from '@sheaf/extraction/testing/text';
import { openByteSource, XmlReader } from '@sheaf/sandbox/containers';
import { isFullRun } from '@sheaf/testkit';
import test from 'ava';
import { makeUnterminated } from '../../fixtures/hostile-containers.ts';
import { oneIn } from '../../support/full-run.ts';
import { growthOf, MAX_LINEAR_GROWTH } from '../../support/growth.ts';

const folder = mkdtempSync(join(tmpdir(), 'sheaf-growth-'));
test.after.always(() => rmSync(folder, { recursive: true }));

async function* inPieces(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 65_536) yield text.slice(at, at + 65_536);
}

const splitAll = async (text: string): Promise<void> => {
  for await (const _ of splitIntoPages(inPieces(text)));
};

const layersOf = async (text: string): Promise<void> => {
  const path = join(folder, 'layer.txt');
  writeFileSync(path, text);
  for await (const page of textLayers(path, new AbortController().signal)) isUsableTextLayer(page);
};

const readOffice = async (bytes: Buffer): Promise<void> => {
  await readSourceParagraphs(await openByteSource(bytes), 20_000);
};

const readCells = (bytes: Buffer): void => {
  const reader = new XmlReader(new SheetReader(), { maxDepth: 1_000, maxChars: 1024 ** 3 });
  for (let at = 0; at < bytes.length; at += 65_536) reader.write(bytes.subarray(at, at + 65_536));
  reader.end();
};

/** As many rows as there are characters on the one page, none of which shows one of them. */
const putRows = (size: number): void => {
  const rows = Array.from({ length: size }, (_, n) => ({ cells: [`row number ${n}`], comments: [] }));
  putOnPages({ sheets: [{ name: 'A', rows, shapes: [] }], others: [] }, ['row n'.repeat(size), 'row nu'.repeat(size)]);
};

const repeated =
  (text: string, before = '') =>
  (size: number) =>
    before + text.repeat(size);

/** The size at which measuring begins is larger where a budget that is the same for all has to be used up first. */
type Case = readonly [make: (size: number) => unknown, run: (input: never) => unknown, least?: number];

const CASES: Readonly<Record<string, Case>> = {
  'pages of a text: words': [repeated('word '), splitAll],
  'pages of a text: one word without an end': [repeated('x'), splitAll],
  'pages of a text: form feeds': [repeated('\f'), splitAll],
  'pages of a text: white space': [repeated(' '), splitAll],
  'cells of a spreadsheet': [
    (size: number) =>
      Buffer.from(
        `<table:table>${'<table:table-row><table:table-cell><text:p>one</text:p></table:table-cell></table:table-row>'.repeat(size / 8)}`,
      ),
    readCells,
  ],
  'paragraphs in paragraphs of a cell': [
    (size: number) => Buffer.from(`<table:table><table:table-row><table:table-cell>${'<text:p>x'.repeat(size / 8)}`),
    readCells,
  ],
  'rows that no page shows': [(size: number) => size, putRows, isFullRun ? 100_000 : 12_500],
  'encoding of a text': [(size: number) => Buffer.alloc(size, 0xe4), detectEncoding],
  'text layers: one page': [repeated('word \ufffd'), layersOf],
  'text layers: empty pages': [repeated('\f'), layersOf],
  'sizes of pages': [repeated('Page 1 size: 1 x 1 pts\n'), (text: string) => parseGeometry(text, text)],
  'sizes of pages: half a line': [repeated('Page\n'), (text: string) => parseGeometry(text, text)],
  'lines of tesseract': [repeated('5\t1\t1\t1\t1\t1\t0\t0\t0\t0\t90\tword\n'), parseTsv],
  orientation: [repeated('Orientation confidence: 1.1.'), (text: string) => parseOrientation(text, 1)],
  'picture of a page': [
    (size: number) => Buffer.concat([Buffer.from('P5\n'), Buffer.alloc(size, ' ')]),
    async (bytes: Buffer) => {
      writeFileSync(join(folder, 'page.pgm'), bytes);
      await readPgm(join(folder, 'page.pgm'));
    },
  ],
  'text of an office file: comments': [(size: number) => makeUnterminated('<!--', size), readOffice],
  'text of an office file: paragraphs': [(size: number) => makeUnterminated('<w:p><w:t>tea</w:t></w:p>', size), readOffice],
  'paragraphs that are not in a rendition': [
    (size: number) => Array.from({ length: size }, (_, n) => `paragraph ${n}`),
    (paragraphs: string[]) => findUnseen(paragraphs, paragraphs.toReversed().join('\n')),
    isFullRun ? 20_000 : 2_500,
  ],
  'one long paragraph that is nearly in a rendition': [
    (size: number) => 'a'.repeat(size),
    (text: string) => findUnseen([`b${text}`, `${text}b`], text + text),
  ],
};

for (const [what, [make, run, least]] of oneIn(2, Object.entries(CASES))) {
  test.serial(`takes time in proportion to its input: ${what}`, async (t) => {
    t.true(
      (await growthOf(make, run as (input: unknown) => unknown, least ?? 2_000, { isLeast: least !== undefined })) <= MAX_LINEAR_GROWTH,
    );
  });
}
