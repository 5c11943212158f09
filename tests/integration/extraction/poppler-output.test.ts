import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Poppler } from '@sheaf/extraction/testing/pdf';
import test from 'ava';
import { extractionLimits } from '../../support/extraction.ts';
import { manyPictures } from '../../support/hostile-pdf.ts';

const LIMIT = { timeoutMs: 60_000, signal: new AbortController().signal };

const listOf = async (pdf: Uint8Array): Promise<string> => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'sheaf-poppler-'));
  const path = join(scratch.path, 'pictures.pdf');
  await writeFile(path, pdf);
  const poppler = await Poppler.open(path, scratch.path, extractionLimits);
  return (await poppler?.listPictures(1, LIMIT)) ?? 'poppler is not installed';
};

test('the pictures of a page are listed, but not more of them than a worker should keep', async (t) => {
  t.is((await listOf(manyPictures(3, 'few'))).match(/^ +1 +\d+ image/gm)?.length, 3);
  const pdf = manyPictures(120_000, 'many');
  t.true(pdf.length < 100_000);
  t.is(await listOf(pdf), '');
});
