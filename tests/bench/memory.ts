import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { drawLines, makePdf, type PdfPicture, toScannedA4 } from '@sheaf/testkit';
import { familyOf } from '../support/processes.ts';
import { type BenchService, openBenchService } from './bench-service.ts';
import { machineLine } from './machine.ts';

const PAGES = 1_000;
/** So many pages differ; the reader does not know that they come again. */
const DISTINCT = 10;
const SAMPLE_MS = 200;
const PROGRESS_MS = 30_000;
const LIMIT_MS = 10 * 60_000;
const MB = 1024 ** 2;
const WANTED = { memoryMb: 800, scratchMb: 300 };

/** A few lines on an A4 sheet of 300 dpi: soon read, but as large in memory as any scan. */
const drawPages = async (folder: string): Promise<PdfPicture[]> =>
  Promise.all(
    Array.from({ length: DISTINCT }, async (_, page) => {
      const path = join(folder, `page-${page}.png`);
      await writeFile(
        path,
        await drawLines([`Consignment note ${page + 1}`, 'Received in good order', 'Harbour office'])
          .png()
          .toBuffer(),
      );
      return toScannedA4(path);
    }),
  );

/** Proportional set sizes: pages that processes share are counted once. */
const memoryOf = async (pids: readonly number[]): Promise<number> => {
  const sizes = await Promise.all(
    pids.map(async (pid) => {
      const facts = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => ''); // ended meanwhile
      return Number(/^Pss:\s+(\d+) kB/m.exec(facts)?.[1] ?? 0) * 1024;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

const sizeOf = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => stat(join(entry.parentPath, entry.name)).catch(() => undefined)),
  );
  return sizes.reduce((sum, file) => sum + (file === undefined ? 0 : file.blocks * 512), 0);
};

interface Peaks {
  memory: number;
  scratch: number;
  pages: number;
  seconds: number;
}

/** Peak memory of an ocr-worker with its children, and of its scratch folder, while it reads a scan of 1,000 pages. */
export const run = async (): Promise<void> => {
  console.log(`A scan of ${PAGES} A4 pages of 300 dpi, memory as PSS every ${SAMPLE_MS} ms; ${machineLine()}`);
  await using bench = await openBenchService();
  const pictures = await drawPages(bench.folder);
  const pages = Array.from({ length: PAGES }, (_, n) => pictures[n % DISTINCT]).filter((picture) => picture !== undefined);
  const id = await bench.upload('scan.pdf', new Uint8Array(makePdf(pages.map((picture) => ({ picture })))));
  report(await watch(bench, id));
};

/** The peaks until the document is read, or the limit. */
const watch = async ({ service, folder, pool }: BenchService, documentId: string): Promise<Peaks> => {
  const [worker] = await service.processIds('ocr-worker');
  if (worker === undefined) throw new Error('No ocr-worker is running');
  const peaks: Peaks = { memory: 0, scratch: 0, pages: 0, seconds: 0 };
  const started = performance.now();
  for (let told = started; ; ) {
    const now = performance.now();
    peaks.seconds = (now - started) / 1_000;
    peaks.memory = Math.max(peaks.memory, await memoryOf(await familyOf(worker)));
    peaks.scratch = Math.max(peaks.scratch, await sizeOf(join(folder, 'uploads/temp')));
    const { rows } = await pool.query<JobRow>('select status, pages_done from ocr_jobs where document_id = $1', [documentId]);
    peaks.pages = rows[0]?.pages_done ?? 0;
    if (rows[0]?.status === 'failed') throw new Error('the scan could not be read');
    if (rows[0]?.status === 'completed' || now - started > LIMIT_MS) return peaks;
    if (now - told > PROGRESS_MS) {
      told = now;
      console.log(said(peaks));
    }
    await setTimeout(Math.max(0, SAMPLE_MS - (performance.now() - now)));
  }
};

interface JobRow {
  readonly status: string;
  readonly pages_done: number;
}

const said = ({ pages, seconds, memory, scratch }: Peaks): string =>
  `${pages} pages in ${seconds.toFixed(0)} s, peak memory ${(memory / MB).toFixed(0)} MB, peak scratch ${(scratch / MB).toFixed(0)} MB`;

const report = (peaks: Peaks): void => {
  console.log(said(peaks));
  if (peaks.pages < PAGES) console.log(`NOT FINISHED: these are the peaks of the first ${peaks.pages} pages`);
  const held = peaks.memory <= WANTED.memoryMb * MB && peaks.scratch <= WANTED.scratchMb * MB;
  console.log(`${held ? 'reached' : 'MISSED'}: ${WANTED.memoryMb} MB of memory, ${WANTED.scratchMb} MB of scratch space`);
};
