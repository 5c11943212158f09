import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Extractor } from '@sheaf/extraction';
import { constant, silentLogger } from '@sheaf/process';
import { makePdf, toScannedA4 } from '@sheaf/testkit';
import { corpusPath } from '../support/corpus.ts';
import { extractionSettings, readAll } from '../support/extraction.ts';
import { machineLine } from './machine.ts';
import { median } from './median.ts';

/** Letters, print, typewriting and receipts, all of which plain tesseract reads well. */
const SCANS = [
  'docspell-scanner-jfif.jpg',
  'tess-8071_093.3B.tif',
  'docspell-camera-letter-en.jpg',
  'tess-phototest.tif',
  'tapus-12148-btv1b10581912k-28-674fd-default.jpg',
  'ocrd-bebel_frau_1879_0146.tif',
  'sroie-177.jpg',
  'tapus-12148-btv1b525062185-3-eac6a-default.jpg',
];
const ROUNDS = 3;
const LIMIT_MS = 600_000;
const CORES = availableParallelism();

/** Every contestant reads the same eight pages in English; the figure is the median of three rounds that take turns. */
export const race = async (): Promise<void> => {
  if (!existsSync(corpusPath('ocr', SCANS[0] ?? ''))) return console.log('skipped: the scans of ../shared/corpus/ocr are not there');
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-bench-'));
  try {
    const pages = await Promise.all(SCANS.map(async (file) => ({ picture: await toScannedA4(corpusPath('ocr', file)) })));
    const pdfPath = join(folder, 'scan.pdf');
    await writeFile(pdfPath, makePdf(pages));
    await program('pdftoppm', ['-gray', '-r', '300', pdfPath, join(folder, 'page')], folder);
    report(await takeTurns(pdfPath, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const CONTESTANTS = [
  'Sheaf, native runner',
  'Sheaf, tesseract.js',
  'OCRmyPDF, text only',
  'tesseract, one process a core, pages already drawn',
] as const;
type Contestant = (typeof CONTESTANTS)[number];

const takeTurns = async (pdfPath: string, folder: string): Promise<Map<Contestant, number[]>> => {
  const times = new Map<Contestant, number[]>(CONTESTANTS.map((name) => [name, []]));
  await using native = await Extractor.open(constant({ ...extractionSettings(folder), readers: CORES, runner: 'native' }), silentLogger());
  await using wasm = await Extractor.open(constant({ ...extractionSettings(folder), readers: CORES, runner: 'wasm' }), silentLogger());
  const starters: Record<Contestant, () => Promise<boolean>> = {
    'Sheaf, native runner': () => readWith(native, pdfPath),
    'Sheaf, tesseract.js': () => readWith(wasm, pdfPath),
    'OCRmyPDF, text only': () =>
      program('ocrmypdf', ['--output-type', 'none', '--sidecar', join(folder, 'sidecar.txt'), pdfPath, '-'], folder),
    'tesseract, one process a core, pages already drawn': () => tesseractPerCore(folder),
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of CONTESTANTS) {
      const started = performance.now();
      if (await starters[name]()) times.get(name)?.push(performance.now() - started);
    }
  }
  return times;
};

const readWith = async (extractor: Extractor, path: string): Promise<boolean> => {
  const outcome = await readAll(extractor, { path, mimeType: 'application/pdf' });
  return outcome.ok && outcome.pages.every((page) => page.error === undefined);
};

const tesseractPerCore = async (folder: string): Promise<boolean> => {
  const waiting = SCANS.map((_, i) => join(folder, `page-${i + 1}.pgm`));
  const work = async (): Promise<boolean> => {
    for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
      if (!(await program('tesseract', [page, `${page}.out`, '-l', 'eng'], folder))) return false;
    }
    return true;
  };
  return (await Promise.all(Array.from({ length: CORES }, work))).every(Boolean);
};

const program = async (file: string, args: readonly string[], cwd: string): Promise<boolean> => {
  try {
    await promisify(execFile)(file, args, { cwd, env: { ...process.env, OMP_THREAD_LIMIT: '1' }, timeout: LIMIT_MS, maxBuffer: 2 ** 30 });
    return true;
  } catch {
    return false; // not installed, or it failed
  }
};

const report = (times: ReadonlyMap<Contestant, readonly number[]>): void => {
  const pagesPerSecond = (name: Contestant): number | undefined => {
    const ms = median(times.get(name) ?? []);
    return ms === undefined ? undefined : (SCANS.length * 1_000) / ms;
  };
  console.log(`${SCANS.length} scanned A4 pages of 300 dpi; ${machineLine()}`);
  console.log('| | pages/s | against OCRmyPDF | against tesseract |\n|---|---|---|---|');
  const [ocrmypdf, tesseract] = [
    pagesPerSecond('OCRmyPDF, text only'),
    pagesPerSecond('tesseract, one process a core, pages already drawn'),
  ];
  for (const name of CONTESTANTS) {
    const speed = pagesPerSecond(name);
    console.log(`| ${name} | ${speed?.toFixed(2) ?? 'not installed'} | ${ratio(speed, ocrmypdf)} | ${ratio(speed, tesseract)} |`);
  }
};

const ratio = (speed: number | undefined, other: number | undefined): string =>
  speed === undefined || other === undefined ? '-' : (speed / other).toFixed(2);
