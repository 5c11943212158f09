// New PDFs of pages of other files.

import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ArrangedPage, arrangePages } from '@sheaf/extraction/pages';
import { findProgram } from '@sheaf/extraction/testing';
import { drawTiff, makePdf } from '@sheaf/testkit';
import { testWhere } from '../../support/conditional-test.ts';
import { openPictures } from '../../support/extraction.ts';
import { imageHashes } from '../../support/searchable-pdf.ts';

const test = testWhere((await findProgram('qpdf')) !== undefined, 'qpdf is not installed');
const run = promisify(execFile);

const PDF = 'application/pdf';
const pdfOf = (...texts: readonly string[]): Buffer => makePdf(texts.map((text) => ({ lines: [text] })));

interface Shown {
  readonly file: Buffer;
  /** All that is in it, unpacked. */
  readonly source: string;
  readonly pages: readonly string[];
  readonly rotations: readonly number[];
}

/** What is on each page, and how it is turned. */
const show = async (path: string): Promise<Shown> => {
  await run('qpdf', ['--check', path]);
  const { stdout: text } = await run('pdftotext', [path, '-']);
  const { stdout: info } = await run('pdfinfo', ['-l', '9999', path]);
  return {
    file: await readFile(path),
    source: (await run('qpdf', ['--qdf', path, '-'], { encoding: 'latin1', maxBuffer: 64 * 1024 * 1024 })).stdout,
    pages: text
      .split('\f')
      .slice(0, -1)
      .map((page) => page.trim()),
    rotations: [...info.matchAll(/^Page +\d+ rot: +(\d+)/gm)].map(([, degrees]) => Number(degrees)),
  };
};

interface Given {
  readonly file: Buffer;
  readonly mimeType?: string;
}

const arrange = async (files: readonly Given[], ...documents: readonly (readonly ArrangedPage[])[]): Promise<readonly Shown[] | string> => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-pages-'));
  const given = await Promise.all(
    files.map(async ({ file, mimeType = PDF }, at) => {
      const path = join(folder.path, `given-${at}`);
      await writeFile(path, file);
      return { path, mimeType };
    }),
  );
  await using pictures = openPictures(folder.path);
  const outcome = await arrangePages({
    files: given,
    documents,
    scratchPath: folder.path,
    pictures,
    signal: AbortSignal.timeout(120_000),
  });
  if (!outcome.ok) return outcome.problem;
  return await Promise.all(outcome.paths.map(show));
};

const shown = (outcome: readonly Shown[] | string): readonly Shown[] => {
  if (typeof outcome === 'string') throw new Error(outcome);
  return outcome;
};

const page = (number: number, rotateBy: ArrangedPage['rotateBy'] = 0, file = 0): ArrangedPage => ({ file, page: number, rotateBy });

test('pages are left out, moved, turned and taken from other files, the same content each time', async (t) => {
  const files = [{ file: pdfOf('one', 'two', 'three') }, { file: pdfOf('four') }];
  const pages = [page(3, 90), page(1, 90, 1), page(1, 180), page(1, 270)];
  const [made] = shown(await arrange(files, pages));
  t.deepEqual(made?.pages, ['three', 'four', 'one', 'one']);
  t.deepEqual(made?.rotations, [90, 90, 180, 270]);
  const [again] = shown(await arrange(files, pages));
  t.true(made !== undefined && again?.file.equals(made.file));
  const [plain] = shown(await arrange(files, [page(3), page(1, 0, 1), page(1), page(1)]));
  t.deepEqual(plain?.pages, ['three', 'four', 'one', 'one']);
});

test('a rotation is added to the one that a page has', async (t) => {
  const [once] = shown(await arrange([{ file: pdfOf('one', 'two') }], [page(1, 90), page(2)]));
  const [twice] = shown(await arrange([{ file: once?.file ?? Buffer.alloc(0) }], [page(1, 270), page(2, 180)]));
  t.deepEqual(once?.rotations, [90, 0]);
  t.deepEqual(twice?.rotations, [0, 180]);
});

test('a file is cut into several, and nothing of the other pages stays in one', async (t) => {
  const file = makePdf([{ lines: ['one'] }, { lines: ['two'] }, { lines: ['three'] }]);
  const [first, second] = shown(await arrange([{ file }], [page(1), page(2)], [page(3)]));
  t.deepEqual([first?.pages, second?.pages], [['one', 'two'], ['three']]);
  t.true(second?.source.includes('(three)'));
  t.false(second?.source.includes('(one)'));
});

test('pages of pictures become pages of a PDF, with their images as they were', async (t) => {
  const file = await drawTiff([['one'], ['two']]);
  const [whole] = shown(await arrange([{ file, mimeType: 'image/tiff' }], [page(1), page(2)]));
  const [second, first] = shown(await arrange([{ file, mimeType: 'image/tiff' }], [page(2)], [page(1)]));
  const hashes = await imageHashes(whole?.file ?? Buffer.alloc(0));
  t.is(hashes.length, 2);
  t.deepEqual(await imageHashes(first?.file ?? Buffer.alloc(0)), hashes.slice(0, 1));
  t.deepEqual(await imageHashes(second?.file ?? Buffer.alloc(0)), hashes.slice(1));
});

test('hundreds of pages in any order are no trouble', async (t) => {
  const count = 600;
  const file = pdfOf(...Array.from({ length: count }, (_, at) => `page ${at + 1}`));
  const pages = Array.from({ length: count }, (_, at) => page(count - at, at % 2 === 0 ? 180 : 0));
  const [made] = shown(await arrange([{ file }], pages));
  t.is(made?.rotations.length, count);
  t.is(made?.pages[1], `page ${count - 1}`);
});

test('what cannot be had says why', async (t) => {
  const plain = pdfOf('one', 'two');
  t.is(await arrange([{ file: plain }], [page(1)], [page(3)]), 'no_such_page');
  t.is(await arrange([{ file: plain.subarray(0, 40) }], [page(1)]), 'damaged');
  t.is(await arrange([{ file: Buffer.from('text'), mimeType: 'text/plain' }], [page(1)]), 'unsupported');
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-locked-'));
  await writeFile(join(folder.path, 'plain.pdf'), plain);
  await run('qpdf', ['--encrypt', 'user', 'owner', '256', '--', join(folder.path, 'plain.pdf'), join(folder.path, 'user.pdf')]);
  await run('qpdf', ['--encrypt', '', 'owner', '256', '--', join(folder.path, 'plain.pdf'), join(folder.path, 'owner.pdf')]);
  t.is(await arrange([{ file: await readFile(join(folder.path, 'user.pdf')) }], [page(1)]), 'encrypted');
  const [opened] = shown(await arrange([{ file: await readFile(join(folder.path, 'owner.pdf')) }], [page(2)]));
  t.deepEqual(opened?.pages, ['two']);
});
