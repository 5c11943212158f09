// A worker that dies while it splits a document leaves it whole, or split; another one goes on, and no page is lost or there twice.
import { execFile } from 'node:child_process';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sweepOrphans } from '@sheaf/ingest';
import { systemClock } from '@sheaf/process';
import { makePdf } from '@sheaf/testkit';
import test from 'ava';
import { type BarcodeBench, openBarcodeBench } from '../integration/filing/fixture.ts';
import { codedPage } from '../support/barcode-sheets.ts';

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '../fixtures/barcodes/killed-split.ts');

/** What happens to the job of a worker that died, once its lease has expired. */
const recoverJob = ({ rows }: BarcodeBench): Promise<unknown[]> =>
  rows(`update ocr_jobs set status = 'pending', lease_by = null, lease_until = null, claimed_at = null, processing_since = null, fence = fence + 1
    where status = 'processing'`);

const look = ({ rows }: BarcodeBench) =>
  rows(`select status, version, page_count, archive_number,
    (select string_agg(btrim(content, E' \\n'), '|' order by page) from document_pages where document_id = documents.id) as text
    from documents order by id`);

test('killed at any step, a split is done or not begun, and ends with every page once', async (t) => {
  const stack = makePdf([
    await codedPage(['first'], { text: 'ASN1' }),
    await codedPage([], { text: 'PATCHT', format: 'Code128' }),
    await codedPage(['second'], { text: 'ASN2' }),
    await codedPage([], { text: 'PATCHT', format: 'Code128' }),
    await codedPage(['third'], { text: 'ASN3' }),
  ]);
  for (const [point, nth, documents, files] of [
    ['before storing', 1, 1, 1],
    ['after storing', 2, 1, 3],
    ['before the commit', 1, 1, 4],
    ['after the commit', 1, 3, 4],
  ] as const) {
    await using bench = await openBarcodeBench();
    await bench.add('stack.pdf', stack);
    const killed = run(process.execPath, [SCRIPT, bench.database.url.reveal(), bench.folder, point, String(nth)]);
    t.like(await t.throwsAsync(killed), { signal: 'SIGKILL' }, point);
    t.is(await bench.count('documents'), documents, point);
    t.is(await bench.count('document_versions'), documents === 1 ? 0 : 1, point);
    t.is((await bench.stored()).length, files, point);
    await recoverJob(bench);
    while (await bench.work());
    const common = { status: 'completed', page_count: 1 };
    t.deepEqual(
      await look(bench),
      [
        { ...common, version: 2, archive_number: 1, text: 'first' },
        { ...common, version: 1, archive_number: 2, text: 'second' },
        { ...common, version: 1, archive_number: 3, text: 'third' },
      ],
      point,
    );
    t.is((await bench.stored()).length, 4, point);
    t.is(await bench.count(`ocr_jobs where status = 'completed'`), 3, point);
  }
});

test('parts that were stored for a split that did not come are swept', async (t) => {
  await using bench = await openBarcodeBench();
  const { id } = await bench.add('two.pdf', makePdf([await codedPage(['a'], { text: 'ASN1' }), await codedPage(['b'], { text: 'ASN2' })]));
  await t.throwsAsync(run(process.execPath, [SCRIPT, bench.database.url.reveal(), bench.folder, 'before the commit', '1']));
  t.is((await bench.stored()).length, 3);
  await recoverJob(bench);
  while (await bench.work({ enabled: false }));
  const then = new Date(Date.now() - 48 * 3_600_000);
  for (const key of await bench.stored()) await utimes(bench.deps.storage.pathOf(key), then, then);
  t.is(await sweepOrphans({ ...bench.deps, clock: systemClock }), 2);
  t.is((await bench.stored()).length, 1);
  t.deepEqual(await bench.rows('select id, page_count from documents'), [{ id, page_count: 2 }]);
});
