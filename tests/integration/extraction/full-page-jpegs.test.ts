import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '@sheaf/extraction/testing';
import { ImageHost, readPgm } from '@sheaf/extraction/testing/images';
import { FullPageJpegs, type JpegPage, lonelyJpegs, Poppler, parseGeometry } from '@sheaf/extraction/testing/pdf';
import { drawScan, makePdf, type PdfPage } from '@sheaf/testkit';
import { testWhere } from '../../support/conditional-test.ts';
import { extractionLimits } from '../../support/extraction.ts';

const testWithQpdf = testWhere((await findProgram('qpdf')) !== undefined, 'qpdf is not installed');

const LIMIT = { timeoutMs: 60_000, signal: new AbortController().signal };
const scan = await drawScan(['An invoice of the harbour office', 'in 12 parts']);
const BAR = '0 0 0 rg 20 20 100 10 re f';
const NOTE = '/Annots [<< /Type /Annot /Subtype /Square /Rect [10 10 50 50] /C [0 0 0] >>]';

interface Scanned {
  /** Pages whose JPEG was taken, and pages that were drawn. */
  readonly taken: readonly number[];
  readonly drawn: readonly number[];
  /** How much darker or lighter the pixels of the first page are on the average than where poppler draws it. */
  readonly difference: number;
  readonly leftBehind: readonly string[];
}

const scanPages = async (pages: readonly PdfPage[], change: (pdf: Buffer) => Buffer = (pdf) => pdf): Promise<Scanned> => {
  const scratchPath = await mkdtemp(join(tmpdir(), 'sheaf-jpegs-'));
  const images = new ImageHost({ scratchPath, limits: extractionLimits, processes: 2 });
  try {
    const path = join(scratchPath, 'scan.pdf');
    await writeFile(path, change(makePdf(pages)));
    const poppler = await Poppler.open(path, scratchPath, extractionLimits);
    const info = await poppler?.pages(100, LIMIT);
    if (poppler === undefined || !info?.ok) throw new Error('the PDF cannot be opened');
    const list = await poppler.listPictures(pages.length, LIMIT);
    const geometry = parseGeometry(info.value.sizes, list);
    const candidates = new Map<number, JpegPage>();
    for (const [page, jpeg] of lonelyJpegs(list)) {
      const shown = geometry.get(page)?.upright;
      if (shown !== undefined) candidates.set(page, { jpeg, shown, dpi: jpeg.dpi });
    }
    const drawn: number[] = [];
    const draw = new FullPageJpegs({ path, scratchPath, limits: extractionLimits }, candidates, images).insteadOf(async (page) => {
      drawn.push(page);
      return { ok: false, reason: 'corrupt' };
    });
    const numbers = pages.map((_, at) => at + 1);
    const outcomes = await Promise.all(numbers.map((page) => draw(page, join(scratchPath, `page-${page}`), LIMIT)));
    await poppler.drawGrey(1, scan.dpi, join(scratchPath, 'drawn'), LIMIT);
    return {
      taken: numbers.filter((_, at) => outcomes[at]?.ok === true),
      drawn: drawn.toSorted((a, b) => a - b),
      difference: await differenceOf(join(scratchPath, 'page-1.pgm'), join(scratchPath, 'drawn.pgm')),
      leftBehind: (await readdir(scratchPath)).filter((name) => name.endsWith('.stream')),
    };
  } finally {
    await images.close();
    await rm(scratchPath, { recursive: true, force: true });
  }
};

const differenceOf = async (one: string, other: string): Promise<number> => {
  const [a, b] = [await readPgm(one), await readPgm(other)];
  if (a === undefined || b === undefined || a.width !== b.width || a.height !== b.height) return Number.POSITIVE_INFINITY;
  return a.pixels.reduce((sum, shade, at) => sum + Math.abs(shade - (b.pixels[at] ?? 0)), 0) / a.pixels.length;
};

testWithQpdf('the JPEG of a page that it fills stands for the page, pixel for pixel, and nothing of the file is left behind', async (t) => {
  const { taken, drawn, difference, leftBehind } = await scanPages([{ picture: scan }, { picture: scan }]);
  t.deepEqual({ taken, drawn, leftBehind }, { taken: [1, 2], drawn: [], leftBehind: [] });
  t.true(difference < 8, `${difference}`);
});

testWithQpdf('a page that shows more than its picture, or shows it in another way, is drawn', async (t) => {
  const { width, height, dpi } = scan;
  const [w, h] = [(width / dpi) * 72, (height / dpi) * 72];
  const { taken, drawn } = await scanPages([
    { picture: scan },
    { picture: { ...scan, over: BAR } },
    { picture: { ...scan, pageEntries: NOTE } },
    { picture: { ...scan, rotate: 90 } },
    { picture: { ...scan, rotate: 180 } },
    { picture: { ...scan, pageEntries: `/CropBox [0 0 ${w / 2} ${h}]` } },
    { lines: ['text'], picture: scan },
    { picture: { ...scan, width: width - 1 } },
  ]);
  t.deepEqual({ taken, drawn }, { taken: [1], drawn: [2, 3, 4, 5, 6, 7, 8] });
});

testWithQpdf('where qpdf cannot make sense of the file all pages are drawn', async (t) => {
  const { taken, drawn } = await scanPages([{ picture: scan }], (pdf) => pdf.subarray(0, pdf.lastIndexOf('xref\n')));
  t.deepEqual({ taken, drawn }, { taken: [], drawn: [1] });
});
