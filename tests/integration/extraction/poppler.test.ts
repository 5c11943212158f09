import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOfPart, failureOf, type LookRequest, Poppler } from '@sheaf/extraction/testing/pdf';
import { makePdf } from '@sheaf/testkit';
import test, { type TestFn } from 'ava';
import { extractionLimits } from '../../support/extraction.ts';
import { manyPictures } from '../../support/hostile-pdf.ts';

const isInstalled = await Poppler.isInstalled();
if (!isInstalled) process.stderr.write('skipped: poppler is not installed\n');
const run = (isInstalled ? test : test.skip) as TestFn;

const limit = { timeoutMs: 60_000, signal: new AbortController().signal };

/** poppler for the file `content`. */
const openPoppler = async (folder: string, content: Uint8Array): Promise<Poppler> => {
  const path = join(folder, 'document.pdf');
  await writeFile(path, content);
  const poppler = await Poppler.open(path, folder, extractionLimits);
  if (poppler === undefined) throw new Error('only called where poppler is installed');
  return poppler;
};

const lookAt = (poppler: Poppler, folder: string, more: Partial<LookRequest> = {}) =>
  poppler.look(
    {
      mostPages: 10,
      textPath: join(folder, 'text.txt'),
      wordsPath: join(folder, 'words.html'),
      wantsPictures: true,
      wantsAttachments: true,
      picture: { pixels: 100, path: join(folder, 'page.ppm') },
      ...more,
    },
    limit,
  );

run('one look finds out all about a PDF, and starts one program', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-poppler-'));
  const pdf = makePdf([{ lines: ['first page'] }, { lines: ['second page'] }], [{ name: 'factur-x.xml', bytes: Buffer.from('<x/>') }]);
  const look = await lookAt(await openPoppler(folder.path, pdf), folder.path);
  t.like(look, { ok: true, value: { count: 2, text: { ok: true }, hasPicture: true, attachments: [{ number: 1, name: 'factur-x.xml' }] } });
  const text = await readFile(join(folder.path, 'text.txt'), 'utf8');
  t.deepEqual(
    text.split('\f').map((page) => page.trim()),
    ['first page', 'second page', ''],
  );
  t.regex(await readFile(join(folder.path, 'words.html'), 'utf8'), /<word [^>]*>second<\/word>/);
  t.is((await readFile(join(folder.path, 'page.ppm'))).toString('latin1', 0, 2), 'P6');
});

run('a part of a look that fails leaves the others: a list of pictures that is too long is left out', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-poppler-'));
  const poppler = await openPoppler(folder.path, manyPictures(120_000, 'many'));
  t.like(await lookAt(poppler, folder.path, { picture: undefined }), {
    ok: true,
    value: { count: 1, text: { ok: true }, pictures: '', hasPicture: false },
  });
});

test('of a look, each part ends by itself; one that was killed says nothing of the file, which may be whole', (t) => {
  const failed = { kind: 'failed', exitCode: 1, signal: undefined, stderr: '' } as const;
  const said = 'info 0\ntext 137\nwords 152\npictures 153\nattachments 127\n';
  t.like(endOfPart('info', failed, said), { kind: 'done' });
  t.like(endOfPart('text', failed, said), { kind: 'failed', exitCode: 137 });
  t.like(endOfPart('words', failed, said), { kind: 'timeout' });
  t.like(endOfPart('pictures', failed, said), { kind: 'output_too_large' });
  t.like(endOfPart('attachments', failed, said), { kind: 'missing' });
  t.like(endOfPart('page', { kind: 'timeout' }, said), { kind: 'timeout' });
  t.is(failureOf({ kind: 'failed', exitCode: 137, signal: undefined, stderr: '' }), 'reader_died');
});

test('the same holds for a program that prints, while one that the file crashed or that prints too much is about the file', (t) => {
  const failed = { kind: 'failed', exitCode: undefined, signal: undefined, stderr: '' } as const;
  t.is(failureOf({ kind: 'missing' }), 'reader_died');
  t.is(failureOf(failed), 'reader_died');
  t.is(failureOf({ ...failed, signal: 'SIGKILL' }), 'reader_died');
  t.is(failureOf({ ...failed, exitCode: 137 }), 'reader_died');
  t.is(failureOf({ ...failed, signal: 'SIGSEGV' }), 'corrupt');
  t.is(failureOf({ ...failed, exitCode: 1 }), 'corrupt');
  t.is(failureOf({ ...failed, exitCode: 1, stderr: 'Command Line Error: Incorrect password' }), 'encrypted');
  t.is(failureOf({ kind: 'output_too_large' }), 'corrupt');
  t.is(failureOf({ kind: 'timeout' }), 'timeout');
});

run('a file that is damaged is told from it', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-poppler-'));
  const poppler = await openPoppler(folder.path, Buffer.from('%PDF-1.4\nnothing of a document'));
  t.deepEqual(await poppler.pages(10, limit), { ok: false, reason: 'corrupt' });
  t.deepEqual(await lookAt(poppler, folder.path), { ok: false, reason: 'corrupt' });
});
