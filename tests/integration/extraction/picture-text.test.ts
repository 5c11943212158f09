import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor } from '@sheaf/extraction';
import { findProgram } from '@sheaf/extraction/testing';
import { constant, silentLogger } from '@sheaf/process';
import { drawScan, makeIllustratedOffice, makePdf } from '@sheaf/testkit';
import { findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import { decodePageWords } from '@sheaf/vocabulary/page-words';
import test, { type TestFn } from 'ava';
import { testWhere } from '../../support/conditional-test.ts';
import { extractionSettings, readAll, squeezed } from '../../support/extraction.ts';
import { fullOnly } from '../../support/full-run.ts';

interface Context {
  folder: string;
  extractor: Extractor;
}

const hasOffice = (await findProgram('soffice')) !== undefined;
const run = test as TestFn<Context>;

run.before(async (t) => {
  t.context.folder = await mkdtemp(join(tmpdir(), 'sheaf-pictures-'));
  t.context.extractor = await Extractor.open(constant(extractionSettings(join(t.context.folder, 'scratch'))), silentLogger());
});
run.after.always(async (t) => {
  await t.context.extractor.close();
  await rm(t.context.folder, { recursive: true, force: true });
});

const TEXT = 'The enclosed copy belongs to this letter';
const LINES = ['The quick brown fox jumps over', 'the lazy dog near the harbour', 'and counts its seven ledgers'];
const PHRASE = 'the harbour and counts its seven';

const readPdf = async ({ folder, extractor }: Context, pdf: Buffer, request = {}) => {
  const path = join(folder, 'file.pdf');
  await writeFile(path, pdf);
  const read = await readAll(extractor, { path, mimeType: 'application/pdf', ...request });
  if (!read.ok) throw new Error(read.reason);
  return read;
};

const timesIn = (text: string, phrase: string): number => squeezed(text).split(phrase).length - 1;

run.serial(
  'a picture on a page with a text layer is recognised, what the layer says is there once, and every word has its place',
  async (t) => {
    const { pages } = await readPdf(t.context, makePdf([{ lines: [TEXT], picture: await drawScan(LINES) }, { lines: ['the end'] }]));
    const [first, second] = pages;
    t.deepEqual([first?.origin, first?.confidence, second?.text.trim()], ['text', 1, 'the end']);
    t.is(timesIn(first?.text ?? '', TEXT.toLowerCase()), 1);
    t.is(timesIn(first?.text ?? '', PHRASE), 1);
    const words = first?.words && decodePageWords(first.text, first.words);
    t.deepEqual([Math.round(words?.width ?? 0), Math.round(words?.height ?? 0)], [595, 842]);
    const place = (text: string) => words?.words.find((word) => word.text === text)?.box;
    t.true((place('enclosed')?.y ?? 1) < 0.12, 'at the top');
    t.true((place('harbour')?.y ?? 0) > 0.6, 'in the picture');
    t.is(words?.words.map((word) => word.text).join(' '), (first?.text ?? '').split(/\s+/).filter(Boolean).join(' '));
  },
);

run.serial('whoever wants a document read is told of each page that is to be recognised, and of no other', async (t) => {
  const told: string[] = [];
  const scan = { picture: await drawScan(LINES) };
  await readPdf(t.context, makePdf([{ lines: [TEXT] }, scan]), { onRecognise: () => told.push('a page') });
  t.deepEqual(told, ['a page']);
  await readPdf(t.context, makePdf([scan]), { ocr: false, onRecognise: () => told.push('a page without recognition') });
  await readPdf(t.context, makePdf([scan, scan]), { donePages: new Set([1]), onRecognise: () => told.push('a page of two') });
  t.deepEqual(told, ['a page', 'a page of two']);
});

run.serial('without recognition, and in a language that is not installed, a page has its text layer', async (t) => {
  const pdf = makePdf([{ lines: [TEXT], picture: await drawScan(LINES) }]);
  for (const request of [{ ocr: false }, { language: 'tlh' }]) {
    const { text } = await readPdf(t.context, pdf, request);
    t.is(text.trim(), TEXT);
  }
});

// an office file is read by its PDF, pictures and all
fullOnly(testWhere(hasOffice, 'LibreOffice is not installed', run.serial))('a picture in an office file is recognised', async (t) => {
  const files = await makeIllustratedOffice(join(t.context.folder, 'office'), TEXT, await drawScan(LINES));
  t.deepEqual([...(files ?? new Map<string, string>()).keys()].toSorted(), ['doc', 'docx', 'odp', 'odt', 'pptx']);
  for (const [extension, path] of files ?? []) {
    const read = await readAll(t.context.extractor, { path, mimeType: findKindByExtension(extension)?.mimeType ?? '' });
    const text = read.ok ? read.text : read.reason;
    t.is(timesIn(text, TEXT.toLowerCase()), 1, `${extension}: ${text}`);
    t.is(timesIn(text, PHRASE), 1, `${extension}: ${text}`);
  }
});
