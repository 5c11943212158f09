import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeSearchablePdf, type RecognisedPage } from '@sheaf/extraction/searchable';
import type { PageWord } from '@sheaf/vocabulary/page-words';
import { openPictures } from './extraction.ts';

const run = promisify(execFile);
const MM_PER_POINT = 25.4 / 72;

export interface Made {
  readonly pdf: Buffer;
  /** As somebody copies it, without the marks that pdftotext puts around text from right to left. */
  readonly text: string;
  readonly pages: readonly ShownPage[];
}

interface ShownPage {
  readonly width: number;
  readonly height: number;
  readonly words: readonly {
    readonly text: string;
    readonly left: number;
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
  }[];
}

async function* each(pages: readonly RecognisedPage[]): AsyncGenerator<RecognisedPage> {
  yield* pages;
}

/** Makes the PDF of a file, or says why there is none. */
export const makeSearchable = async (
  file: Buffer,
  mimeType: string,
  pages: readonly RecognisedPage[] | AsyncIterable<RecognisedPage>,
): Promise<Made | string> => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-searchable-'));
  const path = join(folder.path, 'file');
  await writeFile(path, file);
  await using pictures = openPictures(folder.path);
  const made = await makeSearchablePdf({
    path,
    mimeType,
    pages: Array.isArray(pages) ? each(pages as readonly RecognisedPage[]) : (pages as AsyncIterable<RecognisedPage>),
    scratchPath: folder.path,
    pictures,
    signal: AbortSignal.timeout(120_000),
  });
  if (!made.ok) return made.problem;
  return { pdf: await readFile(made.path), ...(await lookInto(made.path)) };
};

/** What pdftotext finds in a PDF. */
export const lookInto = async (path: string): Promise<Omit<Made, 'pdf'>> => {
  await run('qpdf', ['--check', path]);
  const options = { maxBuffer: 256 * 1024 * 1024 };
  const { stdout: text } = await run('pdftotext', [path, '-'], options);
  const { stdout: boxes } = await run('pdftotext', ['-bbox', '-cropbox', path, '-'], options);
  return { text: text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, ''), pages: shownPages(boxes) };
};

const shownPages = (boxes: string): ShownPage[] =>
  boxes
    .split('<page ')
    .slice(1)
    .map((page) => {
      const [, width = 0, height = 0] = /^width="([\d.]+)" height="([\d.]+)"/.exec(page)?.map(Number) ?? [];
      const words = [...page.matchAll(/<word xMin="(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">(.*)<\/word>/g)].map(
        ([, left, top, right, bottom, text = '']) => ({
          text,
          left: Number(left),
          top: Number(top),
          right: Number(right),
          bottom: Number(bottom),
        }),
      );
      return { width, height, words };
    });

/** How far the words are from where they belong, in mm: the worst edge of all. Infinite where one is missing. */
export const worstShift = (
  shown: ShownPage | undefined,
  { width, height }: { width: number; height: number },
  words: readonly PageWord[],
): number =>
  Math.max(
    ...words.map(({ box }) => {
      const [left, top] = [box.x * width, box.y * height];
      const wanted = [left, top, left + box.width * width, top + box.height * height];
      const shifts = (shown?.words ?? []).map((word) =>
        Math.max(...[word.left, word.top, word.right, word.bottom].map((edge, at) => Math.abs(edge - (wanted[at] ?? 0)))),
      );
      return Math.min(...shifts, Number.POSITIVE_INFINITY) * MM_PER_POINT;
    }),
  );

/** Hashes of the image streams of a PDF as they are stored, by pdfimages. */
export const imageHashes = async (pdf: Buffer): Promise<string[]> => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-images-'));
  const path = join(folder.path, 'file.pdf');
  await writeFile(path, pdf);
  await run('pdfimages', ['-all', path, join(folder.path, 'image')]);
  const names = (await readdir(folder.path)).filter((name) => name.startsWith('image')).sort();
  return await Promise.all(
    names.map(async (name) =>
      createHash('sha256')
        .update(await readFile(join(folder.path, name)))
        .digest('hex'),
    ),
  );
};

/** Lines of words, evenly spaced; a line from right to left where its words are. */
export const layOut = (lines: readonly (readonly string[])[], { isRightToLeft = false } = {}): PageWord[] =>
  lines.flatMap((words, line) => {
    let x = isRightToLeft ? 0.9 : 0.1;
    return words.map((text) => {
      const width = 0.015 * Array.from(text).length;
      if (isRightToLeft) x -= width;
      const word = { text, box: { x, y: 0.1 + line * 0.05, width, height: 0.02 }, confidence: 0.9 };
      x += isRightToLeft ? -0.012 : width + 0.012;
      return word;
    });
  });
