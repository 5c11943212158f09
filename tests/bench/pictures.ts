import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor } from '@sheaf/extraction';
import { constant, silentLogger } from '@sheaf/process';
import { makeIllustratedOffice, makePdf, type PdfPicture } from '@sheaf/testkit';
import { extensionOf, findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import sharp from 'sharp';
import { z } from 'zod';
import { corpusPath } from '../support/corpus.ts';
import { extractionSettings, readAll } from '../support/extraction.ts';
import { machineLine } from './machine.ts';
import { mean, recallOf } from './word-recall.ts';

const MAX_LOSS = 0.03;
const TEXT = 'The enclosed copy is part of this letter.';
const KINDS = ['docx', 'odt', 'pptx', 'pdf'] as const;

const scans = z.array(z.looseObject({ file: z.string(), expect: z.looseObject({ ground_truth: z.string(), language: z.string() }) }));

/** The words of each scan of the corpus read alone, and as a picture in a file that has text as well. */
export const measurePictures = async (): Promise<void> => {
  const manifest = corpusPath('ocr', 'manifest.json');
  if (!existsSync(manifest)) return console.log('pictures: skipped, the scans of ../shared/corpus/ocr are not there');
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-bench-'));
  try {
    await using extractor = await Extractor.open(
      constant({ ...extractionSettings(join(folder, 'scratch')), readers: availableParallelism() }),
      silentLogger(),
    );
    const languages = new Set(extractor.installedLanguages());
    const entries = scans
      .parse(JSON.parse(await readFile(manifest, 'utf8')))
      .filter(({ file }) => extensionOf(file) !== 'bmp') // cannot be made a JPEG of here
      .filter(({ expect }) => expect.language.split('+').every((code) => languages.has(code)));
    console.log(`Words of a scan alone, and as a picture in a file with text, ${entries.length} scans; ${machineLine()}`);
    console.log(`| scan | alone | ${KINDS.join(' | ')} |\n|---|---|${KINDS.map(() => '---|').join('')}`);
    const losses: number[][] = KINDS.map(() => []);
    for (const [number, { file, expect }] of entries.entries()) {
      const truth = await readFile(corpusPath('ocr', expect.ground_truth), 'utf8');
      const read = async (path: string): Promise<number> => {
        const mimeType = findKindByExtension(extensionOf(path))?.mimeType ?? '';
        const outcome = await readAll(extractor, { path, mimeType, language: expect.language });
        return recallOf(truth, outcome.ok ? outcome.text.replace(TEXT, '') : '');
      };
      const alone = await read(corpusPath('ocr', file));
      const files = await illustrated(join(folder, `${number}`), await asPicture(corpusPath('ocr', file)));
      const inFiles: number[] = [];
      for (const [at, kind] of KINDS.entries()) {
        const path = files.get(kind);
        const recall = path === undefined ? Number.NaN : await read(path);
        inFiles.push(recall);
        losses[at]?.push(recall - alone);
      }
      console.log(`| ${file} | ${alone.toFixed(3)} | ${inFiles.map((recall) => recall.toFixed(3)).join(' | ')} |`);
    }
    console.log(`| **mean difference** | | ${losses.map((of) => mean(of).toFixed(3)).join(' | ')} |`);
    for (const [at, kind] of KINDS.entries()) {
      const loss = mean(losses[at] ?? []);
      console.log(`${loss >= -MAX_LOSS ? 'reached' : 'MISSED'}: ${kind} ${loss.toFixed(3)} (wanted: at most -${MAX_LOSS})`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** As people put a scan into a letter: over the width of the text. */
const asPicture = async (path: string): Promise<PdfPicture> => {
  const { data, info } = await sharp(path)
    .autoOrient()
    .flatten({ background: 'white' })
    .toColourspace('b-w')
    .jpeg({ quality: 92 })
    .toBuffer({ resolveWithObject: true });
  return { jpeg: data, width: info.width, height: info.height, dpi: info.width / 6.7 };
};

const illustrated = async (folder: string, picture: PdfPicture): Promise<ReadonlyMap<string, string>> => {
  const files = new Map((await makeIllustratedOffice(folder, TEXT, picture)) ?? []);
  const path = join(folder, 'file.pdf');
  await writeFile(path, makePdf([{ lines: [TEXT], picture }]));
  return files.set('pdf', path);
};
