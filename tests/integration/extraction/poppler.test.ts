import { mkdtempDisposable, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureOf, Poppler } from '@sheaf/extraction/internals/pdf';
import { makePdf } from '@sheaf/testkit';
import test, { type TestFn } from 'ava';
import { extractionLimits } from '../../support/extraction.ts';

const isInstalled = await Poppler.isInstalled();
if (!isInstalled) process.stderr.write('skipped: poppler is not installed\n');
const run = (isInstalled ? test : test.skip) as TestFn;

const limit = { timeoutMs: 60_000, signal: new AbortController().signal };

/** poppler for the file `content`, and the path of the program that writes its text. */
const openPoppler = async (folder: string, content: Uint8Array) => {
  const path = join(folder, 'document.pdf');
  await writeFile(path, content);
  const poppler = await Poppler.open(path, folder, extractionLimits);
  if (poppler === undefined) throw new Error('only called where poppler is installed');
  return { poppler, program: join(folder, 'poppler', 'pdftotext') };
};

run('a program that is killed or cannot be started says nothing of the file, which may be whole', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-poppler-'));
  const { poppler, program } = await openPoppler(folder.path, makePdf([{ lines: ['whole'] }]));
  const text = join(folder.path, 'text.txt');
  t.like(await poppler.writeText(text, 1, limit), { ok: true });
  await rm(program);
  t.deepEqual(await poppler.writeText(text, 1, limit), { ok: false, reason: 'reader_died' });
  for (const end of ['kill -9 $$', 'exit 137']) {
    await writeFile(program, `#!/bin/sh\n[ "$1" = -v ] && { echo 'pdftotext version 22.12.0' >&2; exit 0; }\n${end}\n`, { mode: 0o700 });
    t.deepEqual(await poppler.writeText(text, 1, limit), { ok: false, reason: 'reader_died' }, end);
  }
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
  const { poppler } = await openPoppler(folder.path, Buffer.from('%PDF-1.4\nnothing of a document'));
  t.deepEqual(await poppler.pages(10, limit), { ok: false, reason: 'corrupt' });
});
