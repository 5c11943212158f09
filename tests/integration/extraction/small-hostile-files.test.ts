// Small files that once took the worker down, or kept it from all others: each is processed or fails alone, and its process lives.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor } from '@sheaf/extraction';
import { constant, silentLogger } from '@sheaf/process';
import { isFullRun } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { makeCircularTables, makeSharedStream, makeUnterminated } from '../../fixtures/hostile-containers.ts';
import { extractionSettings, readAll } from '../../support/extraction.ts';

const test = anyTest as TestFn<{ folder: string; extractor: Extractor }>;

test.before(async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-small-'));
  t.context = { folder, extractor: await Extractor.open(constant(extractionSettings(join(folder, 'scratch'))), silentLogger()) };
});
test.after.always(async (t) => {
  await t.context.extractor.close();
  rmSync(t.context.folder, { recursive: true });
});

const DOC = 'application/msword';
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

const read = (t: { context: { folder: string; extractor: Extractor } }, name: string, mimeType: string, bytes: Buffer | string) => {
  const path = join(t.context.folder, name);
  writeFileSync(path, bytes);
  return readAll(t.context.extractor, { path, mimeType, filename: name });
};

test('eight compound files whose tables are chained in a circle end as damaged, and a text beside them is processed', async (t) => {
  const hostile = Array.from({ length: 8 }, (_, n) => read(t, `${n}.doc`, DOC, makeCircularTables(8 * 1024 * 1024, 1 + n * 1_000)));
  const good = await read(t, 'good.txt', 'text/plain', 'an honest paper');
  t.like(good, { ok: true, text: 'an honest paper' });
  for (const outcome of await Promise.all(hostile)) t.like(outcome, { ok: false });
});

const OPENINGS = ['<!--', '<![CDATA[', '<?x ', '<w:p ', '&', '<!DOCTYPE x [<!ENTITY a "b">'];

/** tests/unit/growth reads each of them; here some are read on their way through a thread. */
for (const opening of OPENINGS.filter((_, at) => isFullRun || at % 3 === 0)) {
  test(`a document of 40,000 times ${opening} is processed or fails, and a text behind it is processed`, async (t) => {
    const name = Buffer.from(opening).toString('hex');
    const hostile = read(t, `${name}.docx`, DOCX, makeUnterminated(opening, 40_000));
    t.like(await read(t, `${name}.txt`, 'text/plain', 'an honest paper'), { ok: true, text: 'an honest paper' });
    await hostile;
  });
}

test('an archive whose entries share one stream is not opened', async (t) => {
  t.like(await read(t, 'shared.docx', DOCX, makeSharedStream(19_000, 200_000)), { ok: false, reason: 'unpacks_too_large' });
  t.like(await read(t, 'few.docx', DOCX, makeSharedStream(2, 200)), { ok: false, reason: 'unpacks_too_large' });
});
