import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor } from '@sheaf/extraction';
import { constant, silentLogger } from '@sheaf/process';
import { makePdf, type PdfPage } from '@sheaf/testkit';
import { extractionSettings, readAll } from '../support/extraction.ts';
import { openBenchService } from './bench-service.ts';
import { machineLine } from './machine.ts';
import { median } from './median.ts';

const PAGES = 2_000;
const LINES = 48;
const WORDS_A_LINE = 12;
const SYLLABLES = 'ka lo mi ru se ta ven dor bil ash por gan het isk jun'.split(' ');
const ROUNDS = 3;
const LIMIT_MS = 300_000;
const WANTED = 300;

/** One of 3,375 words. */
const wordOf = (seed: number): string => {
  const mixed = Math.imul(seed + 1, 0x9e3779b1) >>> 8;
  return [mixed, mixed >> 8, mixed >> 16].map((part) => SYLLABLES[part % SYLLABLES.length] ?? '').join('');
};

/** Full pages, each of them another. */
const pageOf = (round: number, page: number): PdfPage => ({
  lines: Array.from({ length: LINES }, (_, line) => {
    const first = ((round * PAGES + page) * LINES + line) * WORDS_A_LINE;
    return Array.from({ length: WORDS_A_LINE }, (__, n) => wordOf(first + n)).join(' ');
  }),
});

const pdfOf = (round: number): Buffer => makePdf(Array.from({ length: PAGES }, (_, page) => pageOf(round, page)));

/** PDF pages with a text layer a second. `pnpm bench ocr` binds it to one core; the whole job then has the database there too. */
export const run = async (): Promise<void> => {
  console.log(`PDF of ${PAGES} pages with a text layer, ${ROUNDS} rounds; ${machineLine()}`);
  console.log('| | pages/s |\n|---|---|');
  const read = PAGES / (median(await readSeconds()) ?? 0);
  console.log(`| reading alone | ${read.toFixed(0)} |`);
  const job = PAGES / (median(await jobSeconds()) ?? 0);
  console.log(`| whole job: reading, pages into the database, index, events | ${job.toFixed(0)} |`);
  console.log(`${Math.min(read, job) >= WANTED ? 'reached' : 'MISSED'}: ${WANTED} pages/s`);
};

const readSeconds = async (): Promise<number[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-bench-'));
  try {
    await using extractor = await Extractor.open(constant({ ...extractionSettings(folder), readers: 1 }), silentLogger());
    const path = join(folder, 'text.pdf');
    await writeFile(path, pdfOf(0));
    const seconds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const started = performance.now();
      const outcome = await readAll(extractor, { path, mimeType: 'application/pdf' });
      if (!outcome.ok || outcome.pages.length !== PAGES) throw new Error('the pages were not read');
      seconds.push((performance.now() - started) / 1_000);
    }
    return seconds;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const jobSeconds = async (): Promise<number[]> => {
  await using bench = await openBenchService();
  const seconds: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const id = await bench.upload(`text-${round}.pdf`, new Uint8Array(pdfOf(round)));
    seconds.push(await bench.secondsOf(id, LIMIT_MS));
  }
  return seconds;
};
