import { execFile } from 'node:child_process';
import { mkdir, mkdtempDisposable, stat, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeSearchablePdf, type RecognisedPage } from '@sheaf/extraction/searchable';
import { makePdf, toScannedA4 } from '@sheaf/testkit';
import sharp from 'sharp';
import { openPictures } from '../support/extraction.ts';
import { layOut } from '../support/searchable-pdf.ts';
import { machineLine } from './machine.ts';
import { median } from './median.ts';

const execute = promisify(execFile);
const PAGES = 40;
const RUNS = 3;
const LINES = 45;
const WORDS_PER_LINE = 9;
const WANTED_RATIO = 3;
const MOST_GROWTH = 1.1;

/** A page of text as a scanner sees it, 300 dpi. */
const drawPage = async (folder: string): Promise<Buffer> => {
  const line = Array.from({ length: WORDS_PER_LINE }, (_, at) => ['harbour', 'office', 'invoice', 'of'][at % 4]).join(' ');
  const lines = Array.from({ length: LINES }, (_, at) => `<text x="250" y="${300 + at * 68}">${line} ${at}</text>`).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="2480" height="3508"><rect width="100%" height="100%" fill="white"/>
<g font-family="DejaVu Serif, serif" font-size="44">${lines}</g></svg>`;
  const path = join(folder, 'page.png');
  await sharp(Buffer.from(svg)).png().toFile(path);
  const picture = await toScannedA4(path);
  return makePdf(Array.from({ length: PAGES }, () => ({ picture })));
};

async function* known(): AsyncGenerator<RecognisedPage> {
  const words = layOut(Array.from({ length: 17 }, () => Array.from({ length: 24 }, () => 'invoice')));
  for (let page = 1; page <= PAGES; page += 1) yield { page, words };
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const times: number[] = [];
  for (let at = 0; at < RUNS; at += 1) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return median(times) ?? Number.NaN;
};

/** Pages per second of a searchable PDF whose words are known, beside OCRmyPDF without and with its OCR. */
export const run = async (): Promise<void> => {
  console.log(`Searchable PDF, ${PAGES} scanned pages of 300 dpi, median of ${RUNS}; ${machineLine()}`);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-bench-pdf-'));
  await using pictures = openPictures(folder.path);
  const path = join(folder.path, 'scan.pdf');
  await writeFile(path, await drawPage(folder.path));
  let made = path;
  let count = 0;
  const ownMs = await timed(async () => {
    const scratchPath = join(folder.path, `own-${(count += 1)}`);
    await mkdir(scratchPath);
    const signal = AbortSignal.timeout(600_000);
    const outcome = await makeSearchablePdf({
      path,
      mimeType: 'application/pdf',
      pages: known(),
      scratchPath,
      pictures,
      signal,
    });
    if (!outcome.ok) throw new Error(outcome.problem);
    made = outcome.path;
  });
  const growth = (await stat(made)).size / (await stat(path)).size;
  console.log(`Sheaf: ${perSecond(ownMs)} pages/s, size ${growth.toFixed(3)} x the scan`);
  console.log(`${growth <= MOST_GROWTH ? 'reached' : 'MISSED'}: at most ${MOST_GROWTH} x the size`);
  const common = ['--quiet', '--output-type', 'pdf', '--optimize', '0', '--jobs', String(cpus().length)];
  for (const [name, args] of [
    ['without its OCR', ['--tesseract-timeout', '0']],
    ['with its OCR', ['--force-ocr']],
  ] as const) {
    const theirMs = await timed(() => execute('ocrmypdf', [...common, ...args, path, join(folder.path, 'theirs.pdf')])).catch(
      () => undefined,
    );
    if (theirMs === undefined) return console.log('OCRmyPDF is not installed or failed: nothing to compare');
    const ratio = theirMs / ownMs;
    console.log(`OCRmyPDF ${name}: ${perSecond(theirMs)} pages/s; Sheaf makes ${ratio.toFixed(1)} x as many`);
    console.log(`${ratio >= WANTED_RATIO ? 'reached' : 'MISSED'}: at least ${WANTED_RATIO} x`);
  }
};

const perSecond = (ms: number): string => ((PAGES * 1_000) / ms).toFixed(1);
