import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { corpusPath, receiptCorpus } from '../support/corpus.ts';
import { drawPage, formPages } from './form-pages.ts';
import { readScan, SCANS } from './repeated-scans.ts';

/** The text of one scan of a paper. */
export interface ScannedText {
  readonly name: string;
  /** The same for all scans of one paper. */
  readonly paper: string;
  /** Papers of one sender are in one half: the comparison was learned on the other half. */
  readonly isHeldOut: boolean;
  readonly scan: number;
  readonly text: string;
}

interface Paper {
  readonly path: string;
  readonly paper: string;
  readonly sender: string;
  readonly language: string;
  readonly scans: number;
}

const scanEntry = z.looseObject({ file: z.string(), expect: z.looseObject({ ground_truth_sha256: z.string(), language: z.string() }) });

/** Pages of the corpus that stand on their head or lie on their side: the service turns them, Tesseract alone does not. */
const IS_TURNED = /rotated-(?:180|L)/;
/** Sharp does not read it. */
const IS_BITMAP = /\.bmp$/;

const corpusScans = async (): Promise<Paper[]> => {
  const entries = z.array(scanEntry).parse(JSON.parse(await readFile(corpusPath('ocr', 'manifest.json'), 'utf8')));
  return entries
    .filter(({ file }) => !IS_TURNED.test(file) && !IS_BITMAP.test(file))
    .map(({ file, expect }) => ({
      path: corpusPath('ocr', file),
      paper: expect.ground_truth_sha256,
      sender: file.split('-')[0] ?? file,
      language: expect.language === 'deu' ? 'deu' : 'eng',
      scans: 2,
    }));
};

const receipts = (): Paper[] =>
  (receiptCorpus() ?? []).map(({ file, expect }) => ({
    path: corpusPath('facts', file),
    paper: expect.ground_truth,
    sender: expect.company,
    language: 'eng',
    scans: 2,
  }));

/** Forms of this bench, filled in several times: half of them are scanned more than once. */
const forms = async (): Promise<Paper[]> => {
  const folder = join(tmpdir(), 'sheaf-bench-forms');
  await mkdir(folder, { recursive: true });
  const papers: Paper[] = [];
  for (const [at, { name, form, lines }] of formPages(4).entries()) {
    const path = join(folder, `${name}.png`);
    if (!existsSync(path)) await writeFile(path, await drawPage(lines));
    papers.push({ path, paper: name, sender: form, language: 'eng', scans: [SCANS, 2, 1, 1][at % 4] ?? 1 });
  }
  return papers;
};

const isHeldOut = (sender: string): boolean => ((createHash('sha256').update(sender).digest()[0] ?? 0) & 1) === 1;

/** All scans, the first ones of all papers before the second ones; undefined where the corpus is absent. */
export const scannedTexts = async (): Promise<ScannedText[] | undefined> => {
  if (receiptCorpus() === undefined) return undefined;
  const papers = [...receipts(), ...(await corpusScans()), ...(await forms())];
  const texts: ScannedText[] = [];
  for (let scan = 0; scan < SCANS; scan += 1)
    for (const { path, paper, sender, language, scans } of papers)
      if (scan < scans) texts.push({ name: path, paper, isHeldOut: isHeldOut(sender), scan, text: await readScan(path, language, scan) });
  return texts;
};
