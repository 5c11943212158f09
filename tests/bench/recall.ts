import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExtractionSettings, Extractor } from '@sheaf/extraction';
import { constant, silentLogger } from '@sheaf/process';
import { extensionOf, findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import { z } from 'zod';
import { corpusPath } from '../support/corpus.ts';
import { extractionSettings, readAll } from '../support/extraction.ts';
import { machineLine } from './machine.ts';
import { mean, recallOf } from './word-recall.ts';

const WANTED_GAIN = 0.01;

const scanEntry = z.looseObject({
  file: z.string(),
  expect: z.looseObject({ ground_truth: z.string(), ground_truth_sha256: z.string(), language: z.string() }),
  reference_tesseract_5_3: z.looseObject({ word_recall: z.number() }),
});
type ScanEntry = z.infer<typeof scanEntry>;

const readEntries = async (): Promise<ScanEntry[] | undefined> => {
  const manifest = corpusPath('ocr', 'manifest.json');
  return existsSync(manifest) ? z.array(scanEntry).parse(JSON.parse(await readFile(manifest, 'utf8'))) : undefined;
};

/** The mean over texts; what was scanned several times counts once. */
const meanByText = (entries: readonly ScanEntry[], recalls: readonly number[]): number => {
  const byText = new Map<string, number[]>();
  for (const [n, { expect }] of entries.entries())
    byText.set(expect.ground_truth_sha256, [...(byText.get(expect.ground_truth_sha256) ?? []), recalls[n] ?? 0]);
  return mean([...byText.values()].map(mean));
};

const readWith = async (settings: Partial<ExtractionSettings>, entries: readonly ScanEntry[]): Promise<number[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-bench-'));
  try {
    await using extractor = await Extractor.open(
      constant({ ...extractionSettings(folder), readers: availableParallelism(), ...settings }),
      silentLogger(),
    );
    const recalls: number[] = [];
    for (const { file, expect } of entries) {
      const mimeType = findKindByExtension(extensionOf(file))?.mimeType ?? '';
      const outcome = await readAll(extractor, { path: corpusPath('ocr', file), mimeType, language: expect.language });
      if (!outcome.ok || outcome.pages.some((page) => page.error !== undefined)) console.log(`recall: ${file} was not read whole`);
      recalls.push(recallOf(await readFile(corpusPath('ocr', expect.ground_truth), 'utf8'), outcome.ok ? outcome.text : ''));
    }
    return recalls;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const installedLanguages = async (): Promise<ReadonlySet<string>> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-bench-'));
  try {
    await using extractor = await Extractor.open(constant(extractionSettings(folder)), silentLogger());
    return new Set(extractor.installedLanguages());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Mean word recall on the scans of the corpus, against plain tesseract. */
export const measureRecall = async (): Promise<void> => {
  const all = await readEntries();
  if (all === undefined) return console.log('recall: skipped, the scans of ../shared/corpus/ocr are not there');
  const languages = await installedLanguages();
  const entries = all.filter(({ expect }) => expect.language.split('+').every((code) => languages.has(code)));
  const missing = new Set(all.filter((entry) => !entries.includes(entry)).map(({ expect }) => expect.language));
  for (const language of missing) console.log(`recall: the scans in ${language} are skipped, the language is not installed`);
  console.log(`Mean word recall, ${entries.length} scans; ${machineLine()}`);
  console.log('| | mean by text | against plain tesseract |\n|---|---|---|');
  const plain = meanByText(
    entries,
    entries.map((entry) => entry.reference_tesseract_5_3.word_recall),
  );
  const measure = async (name: string, settings: Partial<ExtractionSettings>): Promise<number> => {
    const recall = meanByText(entries, await readWith(settings, entries));
    console.log(`| ${name} | ${recall.toFixed(3)} | ${(recall - plain).toFixed(3)} |`);
    return recall;
  };
  console.log(`| plain tesseract 5.3, by the manifest | ${plain.toFixed(3)} | |`);
  const recall = await measure('Sheaf', {});
  await measure('Sheaf, tesseract.js', { runner: 'wasm' });
  console.log(`${recall - plain >= WANTED_GAIN ? 'reached' : 'MISSED'}: plain tesseract + ${WANTED_GAIN}`);
};
