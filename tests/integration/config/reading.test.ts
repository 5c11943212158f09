// What variables of reading documents do: the reader of the ocr-worker, opened with a configuration.

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@sheaf/config';
import { Extractor } from '@sheaf/extraction';
import { findProgram } from '@sheaf/extraction/testing';
import { findOffice } from '@sheaf/extraction/testing/office';
import { extractionSettings } from '@sheaf/ocr-worker/testing';
import { constant, silentLogger } from '@sheaf/process';
import { drawLines, drawScan, makePdf } from '@sheaf/testkit';
import { findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import sharp from 'sharp';
import { makeZip } from '../../fixtures/zip.ts';
import { readAll, squeezed } from '../../support/extraction.ts';
import { fullOnly } from '../../support/full-run.ts';

const [tesseract, office] = [await findProgram('tesseract'), await findOffice()];
if (tesseract === undefined || office === undefined) process.stderr.write('skipped: tesseract or LibreOffice is not installed\n');
const all = anyTest as TestFn<string>;
const test = all.serial; // programs are found by the path of this process
all.beforeEach(async (t) => {
  t.context = await mkdtemp(join(tmpdir(), 'sheaf-reading-'));
});
all.afterEach.always((t) => rm(t.context, { recursive: true, force: true }));

const withOffice = office === undefined ? all.skip : test;
const withTesseract = tesseract === undefined ? all.skip : test;

/** Programs of these names that are found first and do what `script` says. */
const stub = async (t: ExecutionContext<string>, names: readonly string[], script: string): Promise<string> => {
  const folder = await mkdtemp(join(t.context, 'stub-'));
  for (const name of names) await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const { PATH } = process.env;
  process.env['PATH'] = `${folder}:${PATH}`;
  t.teardown(() => {
    process.env['PATH'] = PATH;
  });
  return folder;
};

/** A tesseract that reads one word on every page: what the shell makes of `word`. It cannot tell it in any other way out of its sandbox. */
const stubTesseract = (t: ExecutionContext<string>, word: string): Promise<string> => {
  const columns = 'level\\tpage_num\\tblock_num\\tpar_num\\tline_num\\tword_num\\tleft\\ttop\\twidth\\theight\\tconf\\ttext';
  return stub(t, ['tesseract'], `printf '${columns}\\n5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t9\\t9\\t96\\t%s\\n' "${word}"`);
};

const LINES = ['The quick brown fox jumps over', 'the lazy dog near the harbour', 'and counts its seven ledgers'];

const open = (folder: string, environment: Readonly<Record<string, string>>): Promise<Extractor> => {
  const { config } = loadConfig({
    environment: { TEMP_STORAGE_PATH: join(folder, 'temp'), UPLOAD_PATH: join(folder, 'uploads'), ...environment },
  });
  return Extractor.open(constant(extractionSettings(config)), silentLogger());
};

/** How a file is read: its text, or why it is not. */
const read = async (
  folder: string,
  environment: Readonly<Record<string, string>>,
  name: string,
  bytes: Buffer | string,
): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, bytes);
  await using extractor = await open(folder, environment);
  const result = await readAll(extractor, { path, mimeType: findKindByExtension(name.split('.').at(-1) ?? '')?.mimeType ?? '' });
  return result.ok ? squeezed(result.text) : result.reason;
};

const pdfOf = (count: number): Buffer => makePdf(Array.from({ length: count }, (_, n) => ({ lines: [`page number ${n}`] })));
const padded = (bytes: Buffer, size: number): Buffer => Buffer.concat([bytes, Buffer.alloc(Math.max(0, size - bytes.length), '\n')]);
const MIB = 1024 * 1024;

test('MAX_DOCUMENT_PAGES and MAX_PDF_SIZE_MB are the most that is read', async (t) => {
  t.true((await read(t.context, {}, 'three.pdf', pdfOf(3))).includes('page number 2'));
  t.is(await read(t.context, { MAX_DOCUMENT_PAGES: '2' }, 'three.pdf', pdfOf(3)), 'too_many_pages');
  t.is(await read(t.context, { MAX_PDF_SIZE_MB: '1' }, 'large.pdf', padded(pdfOf(1), MIB + 1)), 'too_large');
});

fullOnly(test)('MAX_OFFICE_DOCUMENT_SIZE_MB and READ_ARCHIVE_MAX_* are the most of an office file', async (t) => {
  t.is(await read(t.context, { MAX_OFFICE_DOCUMENT_SIZE_MB: '1' }, 'large.docx', padded(Buffer.from('PK'), MIB + 1)), 'too_large');
  const archive = makeZip(['one.xml', 'two.xml'].map((name) => ({ name, text: ' '.repeat(33 * MIB) })));
  const judged = (environment: Readonly<Record<string, string>>): Promise<string> =>
    read(t.context, { READ_ARCHIVE_MAX_RATIO: '5000', ...environment }, 'two.docx', archive);
  t.not(await judged({}), 'unpacks_too_large');
  t.is(await judged({ READ_ARCHIVE_MAX_RATIO: '250' }), 'unpacks_too_large');
  t.is(await judged({ READ_ARCHIVE_MAX_ENTRIES: '1' }), 'unpacks_too_large');
  t.is(await judged({ READ_ARCHIVE_MAX_MB: '65' }), 'unpacks_too_large');
});

fullOnly(withTesseract)('OCR_DPI, MAX_PAGE_MEGAPIXELS and READ_TOOL_FILE_MB decide how large the drawing of a page is', async (t) => {
  const scan = makePdf([{ picture: await drawScan(Array.from({ length: 12 }, () => LINES).flat()) }]);
  const drawn = async (environment: Readonly<Record<string, string>>): Promise<number> => {
    const folder = await stubTesseract(t, '$(wc -c < "$1")');
    return Number((await read(folder, { OCR_OEM: '3', OCR_RUNNER: 'native', ...environment }, 'scan.pdf', scan)).trim());
  };
  const usual = await drawn({});
  const [coarse, small] = [await drawn({ OCR_DPI: '100' }), await drawn({ MAX_PAGE_MEGAPIXELS: '1' })];
  t.true(usual > 1_100_000, String(usual));
  t.true(coarse < usual / 2, `${coarse} of ${usual}`);
  t.true(small > 0 && small < 1_050_000, `${small} of ${usual}`);
  t.is(await drawn({ OCR_DPI: '1200', READ_TOOL_FILE_MB: '16' }), 0, 'none is made that is larger');
});

fullOnly(withTesseract)(
  'OCR_PSM, OCR_OEM and OCR_RUNNER are how the engine is called, OCR_ENGINE_DATA_PATH is where its languages are',
  async (t) => {
    const picture = await drawLines(LINES).png().toBuffer();
    const call = async (environment: Readonly<Record<string, string>>): Promise<string> => {
      const folder = await stubTesseract(t, '$*');
      return read(folder, { OCR_OEM: '3', OCR_RUNNER: 'native', ...environment }, 'picture.png', picture);
    };
    t.regex(await call({}), /--psm 3 --oem 3 /);
    t.regex(await call({ OCR_PSM: '6', OCR_OEM: '0' }), /--psm 6 --oem 0 /);
    t.false((await call({ OCR_RUNNER: 'wasm' })).includes('--psm'), 'tesseract.js reads it');
    const models = await mkdtemp(join(t.context, 'models-'));
    await writeFile(join(models, 'eng.traineddata'), '');
    t.regex(await call({ OCR_ENGINE_DATA_PATH: models }), new RegExp(`--tessdata-dir ${models} `, 'i')); // text is compared in lower case
  },
);

fullOnly(withTesseract)('OCR_TIMEOUT_SECONDS is how long a document may be recognised', async (t) => {
  const picture = await drawLines(LINES).png().toBuffer();
  await stub(t, ['tesseract'], `sleep 4; exec ${String(tesseract)} "$@"`);
  const native = { OCR_RUNNER: 'native', OCR_OEM: '3' };
  t.false((await read(t.context, { ...native, OCR_TIMEOUT_SECONDS: '1' }, 'picture.png', picture)).includes('harbour'));
  t.true((await read(t.context, native, 'picture.png', picture)).includes('harbour'));
});

/** The office that runs with a profile below `folder`. */
const officeBelow = async (folder: string): Promise<number> => {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (line.split('\0')[0]?.endsWith('soffice.bin') === true && line.includes(folder)) return Number(pid);
  }
  throw new Error('no office runs');
};

fullOnly(withOffice)('OFFICE_TIMEOUT_SECONDS is how long an office file may take', async (t) => {
  t.timeout(3 * 60_000); // half of what the default would take
  const path = join(t.context, 'note.rtf');
  await writeFile(path, '{\\rtf1 hello}');
  await using extractor = await open(t.context, { OFFICE_TIMEOUT_SECONDS: '5' });
  const again = () => readAll(extractor, { path, mimeType: 'application/rtf' });
  t.like(await again(), { ok: true });
  process.kill(await officeBelow(t.context), 'SIGSTOP'); // as good as an office that hangs
  t.like(await again(), { ok: false, reason: 'timeout' });
});

fullOnly(test)('READ_IMAGE_MAX_MEGAPIXELS and READ_TOOL_MEMORY_MB are the most of a picture', async (t) => {
  const picture = await sharp({ create: { width: 12_000, height: 9_000, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();
  t.is(await read(t.context, { READ_IMAGE_MAX_MEGAPIXELS: '100' }, 'large.png', picture), 'too_large');
  // its decoder is ended, as one is on a host that is short of memory: it is tried again
  t.is(await read(t.context, { READ_TOOL_MEMORY_MB: '256' }, 'large.png', picture), 'reader_died');
  t.is(await read(t.context, {}, 'large.png', picture), '', 'an empty page');
});
