import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor } from '@sheaf/extraction';
import { constant, silentLogger } from '@sheaf/process';
import { extensionOf, findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import test from 'ava';
import { corpusPath, officeCorpus } from '../../support/corpus.ts';
import { extractionSettings, readAll, squeezed } from '../../support/extraction.ts';

const corpus = officeCorpus();

(corpus === undefined ? test.skip : test)('documents of the office corpus give their phrases', async (t) => {
  t.timeout(3 * 300_000);
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-corpus-'));
  const missing: string[] = [];
  {
    await using extractor = await Extractor.open(constant(extractionSettings(folder)), silentLogger());
    const waiting = [...(corpus ?? [])];
    const work = async (): Promise<void> => {
      for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
        const mimeType = findKindByExtension(extensionOf(entry.file))?.mimeType ?? '';
        const read = await readAll(extractor, { path: corpusPath('office', entry.file), mimeType });
        if (!read.ok) missing.push(`${entry.file}: ${read.reason}`);
        else if (!squeezed(read.text).includes(squeezed(entry.expect.phrase))) missing.push(`${entry.file}: ${read.text.slice(0, 200)}`);
      }
    };
    await Promise.all([work(), work()]);
  }
  await rm(folder, { recursive: true, force: true });
  t.deepEqual(missing, []);
});
