import { createHash } from 'node:crypto';
import { findProgram } from '@sheaf/extraction/testing';
import { asShown, pageRanges } from '@sheaf/extraction/testing/searchable';
import { drawBmp, drawLines, drawScan, drawTiff, makePdf } from '@sheaf/testkit';
import type { PageWord } from '@sheaf/vocabulary/page-words';
import sharp from 'sharp';
import { testWhere } from '../../support/conditional-test.ts';
import { imageHashes, layOut, type Made, makeSearchable, worstShift } from '../../support/searchable-pdf.ts';

const test = testWhere((await findProgram('qpdf')) !== undefined, 'qpdf is not installed');

const PDF = 'application/pdf';
const POLISH = [
  ['Zażółć', 'gęślą', 'jaźń'],
  ['Łódź', 'świętuje', 'ćwierćwiecze'],
];
const GREEK = [
  ['Ελληνικά', 'κείμενα', 'ᾠδή'],
  ['Ἀθῆναι', 'ψωμί'],
];
const ARABIC = [
  ['الفاتورة', 'رقم', '2026'],
  ['مُحَمَّد', 'شكرا', 'جزيلا'],
];
const MARKS = [['Cafe\u0301', 'A\u030Angstro\u0308m', '😀ok', '𝔊reif']];

const made = (outcome: Made | string): Made => {
  if (typeof outcome === 'string') throw new Error(outcome);
  return outcome;
};

const lettersOf = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const textOf = (words: readonly PageWord[]): string => words.map(({ text }) => text).join(' ');
const scan = await drawScan(Array.from({ length: 20 }, (_, at) => `A line of the scan with the number ${at}`));
const size = { width: (scan.width / scan.dpi) * 72, height: (scan.height / scan.dpi) * 72 };

test('words stand where they were recognised, images keep their bytes and the file hardly grows', async (t) => {
  const words = layOut([...POLISH, ...GREEK]);
  const pages = [0, 90, 180, 270].map((rotate) => ({ ...scan, rotate }));
  const boxes = '/CropBox [30 40 400 300] /TrimBox [20 20 420 320]';
  const file = makePdf(
    [...pages, { ...scan, pageEntries: boxes }, { ...scan, rotate: 90, pageEntries: boxes }].map((picture) => ({ picture })),
  );
  const result = made(
    await makeSearchable(
      file,
      PDF,
      [1, 2, 3, 4, 5, 6].map((page) => ({ page, words })),
    ),
  );
  const sideways = { width: size.height, height: size.width };
  const shown = [size, sideways, size, sideways, { width: 370, height: 260 }, { width: 260, height: 370 }];
  for (const [at, page] of shown.entries()) t.true(worstShift(result.pages[at], page, words) < 2, `page ${at + 1}`);
  t.deepEqual(await imageHashes(result.pdf), await imageHashes(file));
  t.true(result.pdf.length < 1.1 * file.length, `${result.pdf.length} of ${file.length}`);
});

test('words of different heights and sizes in one line keep their places', async (t) => {
  const words: PageWord[] = [
    { text: 'on', box: { x: 0.1, y: 0.2, width: 0.05, height: 0.02 }, confidence: 1 },
    { text: 'Total', box: { x: 0.2, y: 0.17, width: 0.3, height: 0.07 }, confidence: 1 },
    { text: 'g', box: { x: 0.55, y: 0.21, width: 0.01, height: 0.03 }, confidence: 1 },
  ];
  const result = made(await makeSearchable(makePdf([{ picture: scan }]), PDF, [{ page: 1, words }]));
  t.true(worstShift(result.pages[0], size, words) < 2);
});

test('copied text is that of the words, in every script', async (t) => {
  for (const [name, lines, isRightToLeft] of [
    ['Polish', POLISH, false],
    ['Greek', GREEK, false],
    ['Arabic', ARABIC, true],
    ['marks and characters beyond the basic plane', MARKS, false],
  ] as const) {
    const words = layOut(lines, { isRightToLeft });
    const result = made(await makeSearchable(makePdf([{ picture: scan }]), PDF, [{ page: 1, words }]));
    t.is(lettersOf(result.text).normalize('NFC'), textOf(words).normalize('NFC'), name);
    t.true(worstShift(result.pages[0], size, words) < 2, name);
  }
});

test('pages that are not named stay as they are', async (t) => {
  const words = layOut(POLISH);
  const file = makePdf([{ lines: ['A text layer of its own'] }, { picture: scan }]);
  const result = made(await makeSearchable(file, PDF, [{ page: 2, words }]));
  t.deepEqual(
    result.pages[0]?.words.map(({ text }) => text),
    ['A', 'text', 'layer', 'of', 'its', 'own'],
  );
  t.is(result.pages[1]?.words.length, words.length);
  const unchanged = made(await makeSearchable(file, PDF, []));
  t.true(unchanged.pdf.equals(file));
});

test('pictures become PDFs with their bytes where the format allows, else without loss', async (t) => {
  const words = layOut(GREEK);
  const lines = Array.from({ length: 12 }, (_, at) => `Line ${at} of the picture`);
  const drawn = drawLines(lines);
  const jpeg = await drawn.clone().withMetadata({ density: 150 }).jpeg().toBuffer();
  const png = await drawn.clone().removeAlpha().png().toBuffer();
  const fax = await drawn.clone().toColourspace('b-w').threshold(128).tiff({ compression: 'ccittfax4', bitdepth: 1 }).toBuffer();
  const { width, height } = await sharp(png).metadata();
  const of = (file: Buffer, mimeType: string): Promise<Made> => makeSearchable(file, mimeType, [{ page: 1, words }]).then(made);

  const fromJpeg = await of(jpeg, 'image/jpeg');
  t.deepEqual(await imageHashes(fromJpeg.pdf), [createHash('sha256').update(jpeg).digest('hex')]);
  const shown = { width: (width * 72) / 150, height: (height * 72) / 150 };
  t.true(worstShift(fromJpeg.pages[0], shown, words) < 2);
  t.true(fromJpeg.pdf.length < 1.1 * jpeg.length + 4_000);

  const fromPng = await of(png, 'image/png');
  const pixels = Buffer.concat(chunksOf(png, 'IDAT'));
  t.true(fromPng.pdf.includes(pixels));
  const fromFax = await of(fax, 'image/tiff');
  t.true(fromFax.pdf.includes('/CCITTFaxDecode'));
  t.true(fromFax.pdf.length < 1.1 * fax.length + 8_000, `${fromFax.pdf.length} of ${fax.length}`);

  const turned = await sharp(jpeg).withMetadata({ orientation: 6, density: 150 }).jpeg().toBuffer();
  const fromTurned = await of(turned, 'image/jpeg');
  t.true(Math.abs((fromTurned.pages[0]?.width ?? 0) - shown.height) < 1);
  t.true(worstShift(fromTurned.pages[0], { width: shown.height, height: shown.width }, words) < 2);
});

const chunksOf = (png: Buffer, wanted: string): Buffer[] => {
  const found: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === wanted) found.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  return found;
};

test('what is decoded keeps its pixels: BMP, transparency and each page of a TIFF', async (t) => {
  const words = layOut(POLISH);
  const bmp = await drawBmp(['A bitmap']);
  t.is(made(await makeSearchable(bmp, 'image/bmp', [{ page: 1, words }])).pages.length, 1);
  const tiff = made(await makeSearchable(await drawTiff([['One'], ['Two'], ['Three']]), 'image/tiff', [{ page: 2, words }]));
  t.deepEqual(
    tiff.pages.map((page) => page.words.length),
    [0, words.length, 0],
  );
  const clear = await sharp({ create: { width: 300, height: 200, channels: 4, background: { r: 200, g: 0, b: 0, alpha: 0.5 } } })
    .png()
    .toBuffer();
  t.true(made(await makeSearchable(clear, 'image/png', [])).pdf.includes('/SMask'));
});

test('what cannot be made is told by a code', async (t) => {
  t.is(await makeSearchable(Buffer.from('%PDF-1.4 nothing else'), PDF, [{ page: 1, words: layOut(POLISH) }]), 'damaged');
  t.is(await makeSearchable(Buffer.from('no picture'), 'image/png', []), 'damaged');
  t.is(await makeSearchable(Buffer.from('text'), 'text/plain', []), 'unsupported');
});

test('a damaged PDF becomes a whole one or none, and the same file always the same', async (t) => {
  const words = [{ page: 1, words: layOut(POLISH) }];
  const whole = makePdf([{ picture: await drawScan(['A page']) }]);
  const first = made(await makeSearchable(whole, PDF, words));
  t.deepEqual(made(await makeSearchable(whole, PDF, words)).pdf, first.pdf);
  const mended = await makeSearchable(whole.subarray(0, whole.lastIndexOf('xref') - 4), PDF, words);
  t.is(made(mended).pages[0]?.words.length, layOut(POLISH).length);
  // the tree of pages is a page of its own
  const loop = whole.toString('latin1').replace(/\/Kids \[\d+ /, '/Kids [2 ');
  t.is(await makeSearchable(Buffer.from(loop, 'latin1'), PDF, words), 'damaged');
});

test('words and pages as they are written', (t) => {
  t.is(asShown('word'), 'word');
  t.is(asShown('أب12.5ج'), `ج12.5بأ`);
  t.is(pageRanges([1, 2, 3, 7, 9, 10]), '1-3,7,9-10');
});
