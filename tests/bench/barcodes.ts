import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor } from '@sheaf/extraction';
import { constant, silentLogger } from '@sheaf/process';
import { type BarcodeEntry, barcodeCorpus } from '../support/barcode-corpus.ts';
import { extractionSettings } from '../support/extraction.ts';
import { machineLine } from './machine.ts';

const MOST_SECONDS_A_PAGE = 0.1;
const ROUNDS = 3;

/** How long it takes to look for the codes of the corpus, the best of three rounds; what is read there is up to its test. */
export const run = async (): Promise<void> => {
  const entries = barcodeCorpus();
  if (entries === undefined) return;
  console.log(`Barcodes; ${machineLine()}`);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-barcodes-'));
  await using extractor = await Extractor.open(constant(extractionSettings(join(folder.path, 'scratch'))), silentLogger());
  const rounds: Figures[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure(entries, extractor));
  const best = rounds.reduce((a, b) => (a.seconds <= b.seconds ? a : b));
  const secondsAPage = best.seconds / best.pages;
  console.log(`${best.files} files, ${best.pages} pages, ${best.pagesWithCodes} of them with codes`);
  console.log(
    `${secondsAPage.toFixed(3)} s a page, ${secondsAPage <= MOST_SECONDS_A_PAGE ? 'reached' : 'MISSED'}: at most ${MOST_SECONDS_A_PAGE} s`,
  );
};

interface Figures {
  files: number;
  pages: number;
  pagesWithCodes: number;
  seconds: number;
}

const measure = async (entries: readonly BarcodeEntry[], extractor: Extractor): Promise<Figures> => {
  const figures: Figures = { files: 0, pages: 0, pagesWithCodes: 0, seconds: 0 };
  const { signal } = new AbortController();
  for (const { path, mime } of entries) {
    const startedMs = performance.now();
    const found = await extractor.findBarcodes({ path, mimeType: mime, signal });
    figures.seconds += (performance.now() - startedMs) / 1_000;
    if (!found.ok) throw new Error(`${path}: ${found.reason}`);
    figures.files += 1;
    figures.pages += found.pageCount;
    figures.pagesWithCodes += found.pages.length;
    console.log(
      path.split('/').at(-1),
      ((performance.now() - startedMs) / found.pageCount).toFixed(0),
      JSON.stringify(
        found.pages.map((p) => [
          p.page,
          p.codes
            .map((c) => c.text)
            .join('|')
            .slice(0, 60),
        ]),
      ),
    );
  }
  return figures;
};
