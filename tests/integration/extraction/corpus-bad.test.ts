import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor } from '@sheaf/extraction';
import { constant, silentLogger } from '@sheaf/process';
import { isFullRun } from '@sheaf/testkit';
import { extensionOf, findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import test from 'ava';
import { type BadEntry, badCorpus, corpusPath } from '../../support/corpus.ts';
import { extractionSettings, readAll, squeezed } from '../../support/extraction.ts';

/** The smallest file of each kind. */
const oneOfEachKind = (entries: readonly BadEntry[]): BadEntry[] =>
  [...Map.groupBy(entries, ({ kind }) => kind).values()].flatMap((alike) => alike.toSorted((a, b) => a.bytes - b.bytes).slice(0, 1));

const all = badCorpus();
const corpus = all === undefined || isFullRun ? all : oneOfEachKind(all);
/** No file may keep a reader longer, on a busy machine either. */
const LIMIT_MS = 120_000;

const judge = async (extractor: Extractor, { file, expect }: BadEntry): Promise<string | undefined> => {
  const mimeType = findKindByExtension(extensionOf(file))?.mimeType ?? '';
  const started = performance.now();
  const read = await readAll(extractor, { path: corpusPath('bad', file), mimeType });
  if (performance.now() - started > LIMIT_MS) return `took ${Math.round(performance.now() - started)} ms`;
  if (!read.ok) return expect.outcome === 'accept' ? `refused as ${read.reason}` : undefined;
  if (expect.outcome === 'reject') return 'was accepted';
  const leak = expect.must_not_contain?.find((text) => read.text.includes(text));
  if (leak !== undefined) return `contains ${leak}`;
  if (expect.phrase !== undefined && !squeezed(read.text).includes(squeezed(expect.phrase)))
    return `lacks its phrase: ${read.text.slice(0, 100)}`;
  return undefined;
};

(corpus === undefined ? test.skip : test)('every hostile or broken file ends as it should, in time', async (t) => {
  t.timeout(3 * 300_000);
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-corpus-'));
  const wrong: string[] = [];
  {
    await using extractor = await Extractor.open(constant(extractionSettings(folder)), silentLogger());
    for (const entry of corpus ?? []) {
      const mistake = await judge(extractor, entry);
      if (mistake !== undefined) wrong.push(`${entry.file}: ${mistake}`);
    }
  }
  await rm(folder, { recursive: true, force: true });
  t.deepEqual(wrong, []);
});
