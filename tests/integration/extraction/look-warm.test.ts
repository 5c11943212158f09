// The look at a PDF in a warm process: it has to say what poppler says, or nothing.

import { mkdir, mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { PictureMaker } from '@sheaf/extraction/pictures';
import {
  type Look,
  type LookRequest,
  lonelyJpegs,
  lookWarm,
  Poppler,
  parseGeometry,
  parsePictures,
  picturesToRead,
} from '@sheaf/extraction/testing/pdf';
import { drawScan, makePdf } from '@sheaf/testkit';
import test, { type ExecutionContext, type TestFn } from 'ava';
import sharp from 'sharp';
import { corpusPath } from '../../support/corpus.ts';
import { extractionLimits, openPictures } from '../../support/extraction.ts';
import { fullOnly } from '../../support/full-run.ts';
import { manyPictures } from '../../support/hostile-pdf.ts';

const isInstalled = await Poppler.isInstalled();
if (!isInstalled) process.stderr.write('skipped: poppler is not installed\n');
const run = (isInstalled ? test : test.skip) as TestFn;

const LIMIT = { timeoutMs: 120_000, signal: new AbortController().signal };
const PIXELS = 800;

interface Looked {
  readonly look: Look;
  readonly text: string;
  readonly words: string;
  readonly picture: { readonly width: number; readonly height: number; readonly pixels: Buffer } | undefined;
}

/** What poppler and the warm process say of a file, and which programs the process started; undefined where it says nothing. */
const lookTwice = async (pictures: PictureMaker, folder: string, path: string) => {
  const programs: string[] = [];
  const images: Pick<PictureMaker, 'ask'> = {
    ask: async (request, limit) => {
      const answer = await pictures.ask(request, limit);
      if (answer.ok) programs.push(...(answer.programs ?? []).map((program) => basename(program)));
      return answer;
    },
  };
  const lookBy = async (
    name: string,
    find: (poppler: Poppler, scratchPath: string, request: LookRequest) => Promise<Look | undefined>,
  ): Promise<Looked | undefined> => {
    const scratchPath = join(folder, name);
    await mkdir(scratchPath);
    const poppler = await Poppler.open(path, scratchPath, extractionLimits);
    if (poppler === undefined) throw new Error('only called where poppler is installed');
    const [textPath, wordsPath, picturePath] = ['text', 'words', 'picture'].map((file) => join(scratchPath, file)) as [
      string,
      string,
      string,
    ];
    const picture = { pixels: PIXELS, path: picturePath };
    const look = await find(poppler, scratchPath, {
      mostPages: 100,
      textPath,
      wordsPath,
      wantsPictures: true,
      wantsAttachments: true,
      picture,
    });
    if (look === undefined) return undefined;
    const drawn = look.hasPicture ? await readPicture(picturePath) : undefined;
    return { look, text: await readFile(textPath, 'utf8'), words: await readFile(wordsPath, 'utf8'), picture: drawn };
  };
  const warm = await lookBy('warm', (poppler, scratchPath, request) => lookWarm(images, poppler, { path, scratchPath }, request, LIMIT));
  const left = (await readdir(join(folder, 'warm'))).filter((name) => name !== 'pdf');
  const cold = await lookBy('cold', async (poppler, _, request) => {
    const look = await poppler.look(request, LIMIT);
    return look.ok ? look.value : undefined;
  });
  return { warm, cold, programs, left };
};

const readPicture = async (path: string) => {
  const bytes = await readFile(path);
  const [head = '', width, height] = /^P6\s(\d+) (\d+)\s255\n/.exec(bytes.toString('latin1', 0, 40)) ?? [];
  return { width: Number(width), height: Number(height), pixels: bytes.subarray(head.length) };
};

const inFolder = async (use: (folder: string, pictures: PictureMaker) => Promise<void>): Promise<void> => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-look-'));
  await using pictures = openPictures(join(folder.path, 'pictures'));
  await use(folder.path, pictures);
};

const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one: unknown) => (typeof one === 'number' ? Math.round(one * 10) / 10 : one)));

/** Asserts that both say the same, but for pictures too small to be looked at, of which the warm process says nothing. */
const assertSame = async (t: ExecutionContext, warm: Looked, cold: Looked | undefined, name: string): Promise<void> => {
  if (cold === undefined) return t.fail(`${name}: poppler has nothing to say`);
  t.is(warm.text, cold.text, name);
  t.is(warm.words, cold.words, name);
  t.is(warm.look.count, cold.look.count, name);
  t.deepEqual(warm.look.attachments, cold.look.attachments, name);
  t.deepEqual(picturesToRead(parsePictures(warm.look.pictures)), picturesToRead(parsePictures(cold.look.pictures)), name);
  const list = warm.look.pictures;
  const geometry = ({ look }: Looked): unknown => rounded([...parseGeometry(look.sizes, list === '' ? '' : look.pictures)]);
  t.deepEqual(geometry(warm), geometry(cold), name);
  if (list !== '') t.deepEqual(rounded([...lonelyJpegs(list)]), rounded([...lonelyJpegs(cold.look.pictures)]), name);
  t.deepEqual([warm.picture?.width, warm.picture?.height], [cold.picture?.width, cold.picture?.height], name);
  t.true((await difference(warm, cold)) < MOST_DIFFERENCE, `${name}: the picture is another one`);
};

/** Of 255, where letters are drawn with edges a little softer. */
const MOST_DIFFERENCE = 5;
const SMALL = { width: 100, height: 100, fit: 'fill' } as const;

/** How far two pictures of a page are from each other, in shades of grey, where letters are too small to be seen. */
const difference = async (...looked: readonly Looked[]): Promise<number> => {
  const [one, other] = await Promise.all(
    looked.map(({ picture }) => {
      const { width = 0, height = 0, pixels } = picture ?? {};
      return sharp(pixels, { raw: { width, height, channels: 3 } })
        .resize(SMALL)
        .greyscale()
        .raw()
        .toBuffer();
    }),
  );
  if (one === undefined || other === undefined) throw new Error('there are two');
  return one.reduce((sum, shade, at) => sum + Math.abs(shade - (other[at] ?? 0)), 0) / one.length;
};

const LINES = ['A letter of the harbour office', 'about goods that were received'];
const helvetica = makePdf([{ lines: LINES }, { lines: LINES }]);
const MADE: Readonly<Record<string, { readonly make: () => Promise<Buffer>; readonly programs: readonly string[] }>> = {
  text: { make: async () => helvetica, programs: ['pdftotext'] },
  'embedded file': {
    make: async () => makePdf([{ lines: LINES }], [{ name: 'factur-x.xml', bytes: Buffer.from('<x/>') }]),
    programs: ['pdftotext', 'pdfdetach'],
  },
  scan: { make: async () => makePdf([{ picture: await drawScan(LINES) }]), programs: ['pdftotext', 'pdfimages'] },
  turned: {
    make: async () => makePdf([{ picture: { ...(await drawScan(LINES)), rotate: 90 } }]),
    programs: ['pdftotext', 'pdfimages'],
  },
  'font that PDFium lacks': {
    make: async () => Buffer.from(helvetica.toString('latin1').replace('/Helvetica', '/MyriadPro'), 'latin1'),
    programs: ['pdftotext', 'pdftoppm'],
  },
  'page of which a part is shown': {
    make: async () => makePdf([{ picture: { ...(await drawScan(LINES)), pageEntries: '/CropBox [10 20 300 90]' } }]),
    programs: ['pdftotext', 'pdfimages', 'pdftotext'],
  },
};
for (const [name, { make, programs }] of Object.entries(MADE))
  run(`the warm process says of a PDF what poppler says, with few programs: ${name}`, async (t) => {
    await inFolder(async (folder, pictures) => {
      const path = join(folder, 'file.pdf');
      await writeFile(path, await make());
      const looked = await lookTwice(pictures, folder, path);
      t.deepEqual(looked.programs, programs);
      if (looked.warm !== undefined) await assertSame(t, looked.warm, looked.cold, name);
    });
  });

const UNUSUAL: Readonly<Record<string, Uint8Array>> = {
  damaged: helvetica.subarray(0, helvetica.length - 300),
  'no PDF': Buffer.from('%PDF-1.7\nhello'),
  'more pages than most': makePdf(Array.from({ length: 101 }, () => ({ lines: ['x'] }))),
  'more pictures than can be listed': manyPictures(120_000, 'many'),
};
for (const [name, bytes] of Object.entries(UNUSUAL))
  run(`the warm process says nothing of an unusual PDF, and leaves nothing: ${name}`, async (t) => {
    await inFolder(async (folder, pictures) => {
      const path = join(folder, 'file.pdf');
      await writeFile(path, bytes);
      const { warm, left } = await lookTwice(pictures, folder, path);
      t.is(warm, undefined);
      t.deepEqual(left, []);
    });
  });

const FOLDERS = ['bad', 'barcode', 'einvoice', 'facts', 'field', 'office'];

fullOnly(run)('the warm process says of every PDF of the corpus what poppler says, or nothing', async (t) => {
  let said = 0;
  await inFolder(async (scratch, pictures) => {
    for (const folder of FOLDERS)
      for (const file of (await readdir(corpusPath(folder, '')).catch(() => [])).filter((name) => name.endsWith('.pdf'))) {
        const own = join(scratch, `${folder}-${file}`);
        await mkdir(own);
        const { warm, cold } = await lookTwice(pictures, own, corpusPath(folder, file));
        if (warm === undefined) continue;
        said += 1;
        await assertSame(t, warm, cold, file);
      }
  });
  t.log(`${said} files`);
  t.pass();
});
