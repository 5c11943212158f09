import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExtractionLimits, Extractor } from '@sheaf/extraction';
import { findProgram } from '@sheaf/extraction/testing';
import { constant, silentLogger } from '@sheaf/process';
import { drawBmp, drawLines, drawScan, drawTiff, isFullRun, makeOfficeFiles, makePdf, makeSpreadsheets } from '@sheaf/testkit';
import { findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import test, { type TestFn } from 'ava';
import sharp from 'sharp';
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
  t.context.folder = await mkdtemp(join(tmpdir(), 'sheaf-formats-'));
  t.context.extractor = await Extractor.open(constant(extractionSettings(join(t.context.folder, 'scratch'))), silentLogger());
});
run.after.always(async (t) => {
  await t.context.extractor.close();
  await rm(t.context.folder, { recursive: true, force: true });
});

const LINES = ['The quick brown fox jumps over', 'the lazy dog near the harbour', 'and counts its seven ledgers'];
const PHRASE = 'the harbour and counts its seven';

const write = async ({ folder }: Context, name: string, bytes: Buffer | string) => {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return { path, mimeType: findKindByExtension(name.split('.').at(-1) ?? '')?.mimeType ?? '' };
};

run('a PDF: text layers come as they are, a scanned page between them is recognised', async (t) => {
  const pages = [{ lines: ['first page'] }, { picture: await drawScan(LINES) }, { lines: ['third page'] }];
  const read = await readAll(t.context.extractor, await write(t.context, 'mixed.pdf', makePdf(pages)));
  if (!read.ok) {
    t.fail(read.reason);
    return;
  }
  t.deepEqual(
    read.pages.map(({ page, origin }) => `${page} ${origin}`),
    ['1 text', '2 ocr', '3 text'],
  );
  t.true(squeezed(read.text).includes(PHRASE));
  t.is(read.pages[0]?.text.trim(), 'first page');
  t.true((read.pages[1]?.confidence ?? 0) > 0.8);
});

run('a scan that lies upside down or on its side is read', async (t) => {
  const pages = await Promise.all(
    (isFullRun ? [90, 180, 270] : [270]).map(async (rotate) => ({ picture: await drawScan([...LINES, ...LINES], rotate) })),
  );
  const read = await readAll(t.context.extractor, await write(t.context, 'turned.pdf', makePdf(pages)));
  if (!read.ok) {
    t.fail(read.reason);
    return;
  }
  for (const page of read.pages) t.true(squeezed(page.text).includes(PHRASE), `page ${page.page}: ${page.text}`);
});

fullOnly(run)('pages that are done are not read again', async (t) => {
  const pages = [{ lines: ['first page'] }, { picture: await drawScan(LINES) }, { lines: ['third page'] }];
  const file = await write(t.context, 'resumed.pdf', makePdf(pages));
  const read = await readAll(t.context.extractor, { ...file, donePages: new Set([1, 2]) });
  t.deepEqual(read.ok && read.pages.map(({ page }) => page), [3]);
});

run('with recognition off, a page without text is empty and the document complete', async (t) => {
  const pages = [{ lines: ['first page'] }, { picture: await drawScan(LINES) }];
  const read = await readAll(t.context.extractor, { ...(await write(t.context, 'off.pdf', makePdf(pages))), ocr: false });
  t.deepEqual(read.ok && read.pages.map(({ text }) => text.trim()), ['first page', '']);
});

fullOnly(run)('light text on a transparent ground is read as well as dark text', async (t) => {
  for (const [name, ink] of [
    ['dark', 'black'],
    ['light', 'white'],
  ] as const) {
    const shade = await drawLines(LINES).toColourspace('b-w').negate({ alpha: false }).raw().toBuffer({ resolveWithObject: true });
    const { width, height } = shade.info;
    const picture = sharp({ create: { width, height, channels: 3, background: ink } }).joinChannel(shade.data, {
      raw: { width, height, channels: 1 },
    });
    const read = await readAll(t.context.extractor, await write(t.context, `${name}.png`, await picture.png().toBuffer()));
    t.true(read.ok && squeezed(read.text).includes(PHRASE), name);
  }
});

run('an empty page costs nothing and is certain', async (t) => {
  const blank = { picture: await drawScan(['']) };
  const read = await readAll(t.context.extractor, await write(t.context, 'blank.pdf', makePdf([blank])));
  t.deepEqual(read.ok && read.pages, [{ page: 1, text: '', confidence: 1, origin: 'ocr', words: undefined, language: undefined }]);
});

run('pictures of every kind', async (t) => {
  const files = {
    'page.png': await drawLines(LINES).png().toBuffer(),
    'transparent.png': await drawLines(LINES).ensureAlpha(0.99).png().toBuffer(),
    'deep.png': await drawLines(LINES).toColourspace('grey16').png().toBuffer(),
    'page.jpg': await drawLines(LINES).jpeg().toBuffer(),
    'print.jpg': await drawLines(LINES).toColourspace('cmyk').jpeg().toBuffer(),
    'turned.jpg': await drawLines(LINES).rotate(270).jpeg().withMetadata({ orientation: 6 }).toBuffer(),
    'fax.tif': await drawLines(LINES).toColourspace('b-w').threshold().tiff({ bitdepth: 1, compression: 'ccittfax4' }).toBuffer(),
    'page.bmp': await drawBmp(LINES),
  };
  for (const [name, bytes] of Object.entries(files)) {
    const read = await readAll(t.context.extractor, await write(t.context, name, bytes));
    t.true(read.ok && squeezed(read.text).includes(PHRASE), `${name}: ${JSON.stringify(read)}`);
  }
});

fullOnly(run)('each page of a TIFF is a page', async (t) => {
  const bytes = await drawTiff([LINES, ['Second page of three'], ['The last page here']]);
  const read = await readAll(t.context.extractor, await write(t.context, 'pages.tiff', bytes));
  if (!read.ok) {
    t.fail(read.reason);
    return;
  }
  t.is(read.pageCount, 3);
  t.true(read.pages[1]?.text.includes('Second page of three'));
  t.true(read.pages[2]?.text.includes('The last page here'));
});

run('plain text in UTF-8, UTF-16 and Latin-1', async (t) => {
  const text = 'Größe und Übermut';
  const files = { 'u8.txt': Buffer.from(text), 'u16.txt': Buffer.from(`\ufeff${text}`, 'utf16le'), 'l1.txt': Buffer.from(text, 'latin1') };
  for (const [name, bytes] of Object.entries(files)) {
    const read = await readAll(t.context.extractor, await write(t.context, name, bytes));
    t.is(read.ok && read.text, text, name);
  }
});

testWhere(
  hasOffice,
  'LibreOffice is not installed',
  run,
)('office files of every kind become a PDF, which is kept as the preview', async (t) => {
  t.timeout(3 * 120_000);
  const phrase = 'Seven harbour ledgers';
  const files = await makeOfficeFiles(join(t.context.folder, 'office'), phrase);
  if (files === undefined) return void t.fail('LibreOffice ended without files');
  for (const [extension, path] of files) {
    const mimeType = findKindByExtension(extension)?.mimeType ?? '';
    const request = {
      path,
      mimeType,
      filename: 'x',
      language: 'eng',
      ocr: true,
      donePages: new Set<number>(),
      signal: new AbortController().signal,
    };
    const extraction = await t.context.extractor.extract(request);
    if (!extraction.ok) {
      t.fail(`${extension}: ${extraction.reason}`);
      return;
    }
    await using document = extraction;
    t.true((await stat(document.previewPath ?? '')).size > 0);
    let text = '';
    for await (const batch of document.pages) text += batch.map((page) => page.text).join();
    t.true(text.includes(phrase), `${extension}: ${text}`);
  }
});

run('what is wrong with a document is an outcome', async (t) => {
  const failure = async (name: string, bytes: Buffer | string, more = {}) => {
    const read = await readAll(t.context.extractor, { ...(await write(t.context, name, bytes)), ...more });
    return read.ok ? 'read' : read.reason;
  };
  t.is(await failure('no.pdf', 'not a PDF at all'), 'corrupt');
  t.is(await failure('empty.docx', ''), 'corrupt');
  t.is(await failure('web.doc', '<html>hello</html>'), 'corrupt');
  t.is(await failure('no.png', 'push graphic-context'), 'corrupt');
  t.is(await failure('no.bmp', 'BM but not really'), 'corrupt');
  t.is(await failure('klingon.png', await drawLines(LINES).png().toBuffer(), { language: 'eng+tlh' }), 'language_missing');
  t.is(await failure('any.txt', 'x', { mimeType: 'application/x-unknown' }), 'unsupported');
});

fullOnly(run)('a language that is not installed matters only to a document with a page to recognise', async (t) => {
  const read = async (name: string, pages: Parameters<typeof makePdf>[0]) =>
    readAll(t.context.extractor, { ...(await write(t.context, name, makePdf(pages))), language: 'tlh' });
  t.like(await read('written.pdf', [{ lines: ['first page'] }]), { ok: true, pageCount: 1 });
  const scanned = await read('scanned.pdf', [{ lines: ['first page'] }, { picture: await drawScan(LINES) }]);
  t.like(scanned, { ok: false, reason: 'language_missing' });
});

run('limits on size and pages are kept', async (t) => {
  const scratchPath = join(t.context.folder, 'scratch');
  await using strict = await Extractor.open(
    constant({ ...extractionSettings(scratchPath), maxPages: 2, maxPdfBytes: 2_000 }),
    silentLogger(),
  );
  const pages = (count: number) => makePdf(Array.from({ length: count }, () => ({ lines: ['page'] })));
  const read = async (name: string, bytes: Buffer | string) => readAll(strict, await write(t.context, name, bytes));
  t.true((await read('two.pdf', pages(2))).ok);
  t.like(await read('three.pdf', pages(3)), { ok: false, reason: 'too_many_pages' });
  t.like(await read('thirty.pdf', pages(30)), { ok: false, reason: 'too_large' });
  t.like(await read('three.txt', 'a\fb\fc'), { ok: false, reason: 'too_many_pages' });
});

run('limits on pictures and on the memory of programs are kept', async (t) => {
  const defaults = extractionSettings(join(t.context.folder, 'scratch'));
  const open = (limits: Partial<ExtractionLimits>) =>
    Extractor.open(constant({ ...defaults, limits: { ...defaults.limits, ...limits } }), silentLogger());
  const picture = await write(t.context, 'large.png', await drawLines(LINES).png().toBuffer());
  await using small = await open({ imagePixels: 100_000 });
  t.like(await readAll(small, picture), { ok: false, reason: 'too_large' });
  await using poor = await open({ toolMemoryBytes: 1024 * 1024 });
  t.false((await readAll(poor, picture)).ok);
});

fullOnly(run)('an abort throws its reason and leaves no scratch folder', async (t) => {
  const scratchPath = join(t.context.folder, 'aborted');
  await using extractor = await Extractor.open(constant(extractionSettings(scratchPath)), silentLogger());
  const pages = await Promise.all(Array.from({ length: 4 }, async () => ({ picture: await drawScan(LINES) })));
  const file = await write(t.context, 'aborted.pdf', makePdf(pages));
  const abort = new AbortController();
  const reading = async (): Promise<void> => {
    const request = { ...file, filename: 'x', language: 'eng', ocr: true, donePages: new Set<number>(), signal: abort.signal };
    const extraction = await extractor.extract(request);
    if (!extraction.ok) {
      t.fail(extraction.reason);
      return;
    }
    await using document = extraction;
    for await (const _ of document.pages) abort.abort(new Error('the lease is lost'));
  };
  await t.throwsAsync(reading(), { message: 'the lease is lost' });
  t.deepEqual(
    (await readdir(scratchPath)).filter((name) => name.startsWith('document-')),
    [],
  );
});

const NARROW =
  '<office:automatic-styles><style:style style:name="narrow" style:family="table-column"><style:table-column-properties style:column-width="8mm"/></style:style><style:style style:name="hidden" style:family="table"><style:table-properties table:display="false"/></style:style></office:automatic-styles>';
const sheetCell = (text: string): string => `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`;
const COMMENTED =
  '<table:table-cell office:value-type="string"><office:annotation><text:p>ask the treasurer</text:p></office:annotation><text:p>open</text:p></table:table-cell>';

fullOnly(testWhere(hasOffice, 'LibreOffice is not installed', run))(
  'the text of a spreadsheet is that of its cells, however narrow their columns are, with hidden sheets and comments',
  async (t) => {
    const rows = Array.from(
      { length: 120 },
      (_, n) =>
        `<table:table-row>${['Composer', 'Instrument', 'Arrangement'].map((what) => sheetCell(`${what}${n}`)).join('')}</table:table-row>`,
    );
    const tables = `<table:table table:name="Repertoire"><table:table-column table:style-name="narrow" table:number-columns-repeated="3"/>${rows.join('')}<table:table-row>${COMMENTED}</table:table-row></table:table>
<table:table table:name="Salaries" table:style-name="hidden"><table:table-row>${sheetCell('between ourselves')}</table:table-row></table:table>`;
    const files = await makeSpreadsheets(join(t.context.folder, 'sheets'), tables, NARROW);
    for (const [extension, path] of files ?? []) {
      const read = await readAll(t.context.extractor, { path, mimeType: findKindByExtension(extension)?.mimeType ?? '' });
      if (!read.ok) {
        t.fail(`${extension}: ${read.reason}`);
        continue;
      }
      const pages = read.pages.toSorted((a, b) => a.page - b.page);
      const lines = pages.flatMap(({ text }) => text.split('\n')).filter((line) => line !== '' && !/^Page\b/.test(line));
      t.deepEqual(
        lines,
        [
          'Repertoire',
          ...rows.map((_, n) => `Composer${n}\tInstrument${n}\tArrangement${n}`),
          'open',
          'ask the treasurer',
          'Salaries',
          'between ourselves',
        ],
        extension,
      );
      t.true(
        pages.length > 1 && pages.every(({ text, origin }) => text !== '' && origin === 'text'),
        `${extension}: on each page what it shows: ${pages.map(({ text }) => text.length).join(' ')}`,
      );
    }
    t.deepEqual([...(files ?? new Map<string, string>()).keys()].toSorted(), ['ods', 'xls', 'xlsx']);
  },
);
