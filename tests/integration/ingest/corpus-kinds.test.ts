import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { matchContainer, matchKind } from '@sheaf/ingest/testing';
import { extensionOf, findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import test from 'ava';

const CORPUS = join(import.meta.dirname, '../../../../shared/corpus');
const withCorpus = existsSync(CORPUS) ? test : test.skip;
if (withCorpus !== test) process.stdout.write('tests with real documents are skipped: ../shared/corpus is absent\n');

/** The files of `folder` whose contents are not what their names say. */
const mismatches = async (folder: string): Promise<string[]> => {
  const found: string[] = [];
  for (const name of await readdir(join(CORPUS, folder))) {
    const kind = findKindByExtension(extensionOf(name));
    if (kind !== undefined && !(await matchKind(join(CORPUS, folder, name), kind, matchContainer)).isMatch) found.push(name);
  }
  return found.toSorted((a, b) => a.localeCompare(b));
};

withCorpus('real documents of every kind are what their names say', async (t) => {
  t.deepEqual(await mismatches('office'), []);
  t.deepEqual(await mismatches('ocr'), []);
});

withCorpus('of broken and hostile files, those with foreign bytes are found out, the damaged ones pass', async (t) => {
  t.deepEqual(await mismatches('bad'), [
    'exe-named.pdf',
    'fake_pdf.pdf',
    'html-named.doc',
    'mvg-delegate.png',
    'png-named.pdf',
    'zero.docx',
    'zero.pdf',
  ]);
});
