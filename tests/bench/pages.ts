import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Extractor } from '@sheaf/extraction';
import { constant, silentLogger } from '@sheaf/process';
import { extensionOf, findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import { z } from 'zod';
import { corpusPath } from '../support/corpus.ts';
import { extractionSettings, readAll } from '../support/extraction.ts';
import { machineLine } from './machine.ts';
import { mean, precisionOf, recallOf } from './word-recall.ts';

/** A page is worse than plain tesseract if it is behind by more. */
const MAX_LOSS = 0.01;
const WANTED = { recall: 0.09, precision: 0.03 };
/** What may be lost, and how much slower a page in the default language may be, where the language is found out. */
const AUTO = { loss: 0.01, slower: 1.15, default: 'eng' };

const scanEntry = z.looseObject({
  file: z.string(),
  expect: z.looseObject({ ground_truth: z.string(), language: z.string() }),
  reference_tesseract_5_3: z.looseObject({ psm: z.number() }),
});
type ScanEntry = z.infer<typeof scanEntry>;

interface Quality {
  readonly recall: number;
  readonly precision: number;
}

const runProgram = promisify(execFile);

const qualityOf = (truth: string, text: string): Quality => ({ recall: recallOf(truth, text), precision: precisionOf(truth, text) });

/** What the program makes of the file itself, with a page segmentation that finds how it lies where the manifest asks for that. */
const readPlain = async ({ file, expect, reference_tesseract_5_3: { psm } }: ScanEntry): Promise<string> => {
  const args = [corpusPath('ocr', file), 'stdout', '-l', expect.language, '--psm', `${psm}`];
  return (await runProgram('tesseract', args, { env: { ...process.env, OMP_THREAD_LIMIT: '1' }, maxBuffer: 2 ** 26 })).stdout;
};

/** Word recall and precision of each scan of the corpus, beside plain tesseract with the same models in the same run. */
export const measurePages = async (): Promise<void> => {
  const manifest = corpusPath('ocr', 'manifest.json');
  if (!existsSync(manifest)) return console.log('pages: skipped, the scans of ../shared/corpus/ocr are not there');
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-bench-'));
  try {
    await using extractor = await Extractor.open(
      constant({ ...extractionSettings(folder), readers: availableParallelism() }),
      silentLogger(),
    );
    const languages = new Set(extractor.installedLanguages());
    const all = z.array(scanEntry).parse(JSON.parse(await readFile(manifest, 'utf8')));
    const entries = all.filter(({ expect }) => expect.language.split('+').every((code) => languages.has(code)));
    if (entries.length < all.length)
      console.log(`pages: ${all.length - entries.length} scans are skipped, their languages are not installed`);
    console.log(`Word recall and precision by page, ${entries.length} scans; ${machineLine()}`);
    console.log('| scan | language | tesseract | Sheaf | difference | Sheaf, auto |\n|---|---|---|---|---|---|');
    const plain: Quality[] = [];
    const ours: Quality[] = [];
    const found: Quality[] = [];
    const defaultMs = { given: 0, auto: 0 };
    for (const entry of entries) {
      const { file, expect } = entry;
      const truth = await readFile(corpusPath('ocr', expect.ground_truth), 'utf8');
      const mimeType = findKindByExtension(extensionOf(file))?.mimeType ?? '';
      const read = async (language: string) => {
        const started = performance.now();
        const outcome = await readAll(extractor, { path: corpusPath('ocr', file), mimeType, language });
        return { text: outcome.ok ? outcome.text : '', ms: performance.now() - started };
      };
      const given = await read(expect.language);
      const auto = await read('auto');
      if (expect.language === AUTO.default) {
        defaultMs.given += given.ms;
        defaultMs.auto += auto.ms;
      }
      const one = qualityOf(truth, await readPlain(entry));
      const own = qualityOf(truth, given.text);
      const byItself = qualityOf(truth, auto.text);
      plain.push(one);
      ours.push(own);
      found.push(byItself);
      console.log(
        `| ${file} | ${expect.language} | ${inWords(one)} | ${inWords(own)} | ${differenceOf(own, one)} | ${inWords(byItself)} |`,
      );
    }
    report(plain, ours);
    reportAuto(ours, found, defaultMs.auto / defaultMs.given);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const inWords = ({ recall, precision }: Quality): string => `${recall.toFixed(3)} / ${precision.toFixed(3)}`;
const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(3)}`;
const differenceOf = (own: Quality, other: Quality): string =>
  `${signed(own.recall - other.recall)} / ${signed(own.precision - other.precision)}`;

const reportAuto = (given: readonly Quality[], found: readonly Quality[], ratio: number): void => {
  const loss = mean(found.map(({ recall }) => recall)) - mean(given.map(({ recall }) => recall));
  console.log(
    `${loss >= -AUTO.loss ? 'reached' : 'MISSED'}: mean recall with auto ${signed(loss)} against the language given (wanted: at most -${AUTO.loss})`,
  );
  console.log(
    `${ratio <= AUTO.slower ? 'reached' : 'MISSED'}: pages in the default language take ${ratio.toFixed(2)} of the time with auto (wanted: at most ${AUTO.slower})`,
  );
};

const report = (plain: readonly Quality[], ours: readonly Quality[]): void => {
  const meanOf = (values: readonly Quality[]): Quality => ({
    recall: mean(values.map(({ recall }) => recall)),
    precision: mean(values.map(({ precision }) => precision)),
  });
  const [others, own] = [meanOf(plain), meanOf(ours)];
  console.log(`| **mean** | | ${inWords(others)} | ${inWords(own)} | ${differenceOf(own, others)} |`);
  const worse = ours.filter(({ recall }, n) => recall < (plain[n]?.recall ?? 0) - MAX_LOSS).length;
  const verdict = (isReached: boolean): string => (isReached ? 'reached' : 'MISSED');
  console.log(
    `${verdict(worse === 0)}: ${worse} of ${ours.length} pages more than ${MAX_LOSS} below plain tesseract in recall (wanted: 0)`,
  );
  console.log(
    `${verdict(own.recall - others.recall >= WANTED.recall)}: mean recall ${signed(own.recall - others.recall)} (wanted: +${WANTED.recall})`,
  );
  console.log(
    `${verdict(own.precision - others.precision >= WANTED.precision)}: mean precision ${signed(own.precision - others.precision)} (wanted: +${WANTED.precision})`,
  );
};
