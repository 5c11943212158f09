import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import anyTest, { type TestFn } from 'ava';
import { inTurn } from '../../support/full-run.ts';
import { type IngestBench, openIngestBench } from './fixture.ts';

const test = anyTest as TestFn<IngestBench>;

test.beforeEach(async (t) => {
  t.context = await openIngestBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '../../fixtures/ingest/killed-ingest.ts');

const ingestDyingAt = ({ database, folder, owner }: IngestBench, point: string, bytes: number) =>
  run(process.execPath, [SCRIPT, database.url.reveal(), folder, point, owner.id, String(bytes)]);

/** The same file, imported here. */
const ingestAgain = async ({ take }: IngestBench, bytes: number): Promise<string> => {
  const body = Readable.from([`first half ${'.'.repeat(bytes)}, `, 'second half'].map((half) => Buffer.from(half)));
  const file = { route: 'watch', filename: 'a.txt', ledgerPath: 'a.txt', maxBytes: 1_000_000, allowedExtensions: ['txt'] } as const;
  return (await take(body, file)).outcome;
};

const POINTS = { 'while receiving': 0, 'before storing': 0, 'after storing': 0, 'before the commit': 0, 'after the commit': 1 };

/** A small file stays in memory until it is stored; a large one has a temporary file, which a killed process leaves behind. */
const SIZES = { small: { bytes: 10, leftBehind: 0 }, large: { bytes: 500_000, leftBehind: 1 } };

// the usual run kills at each point with one of the sizes in turn
for (const [turn, [size, { bytes, leftBehind }]] of Object.entries(SIZES).entries())
  for (const [point, documents] of inTurn(turn, 2, Object.entries(POINTS)))
    test(`killed ${point}, an ingest of a ${size} file leaves ${documents === 0 ? 'no row at all' : 'a whole document'}, and the next one completes it`, async (t) => {
      const { count, stored, leftovers, deps } = t.context;
      t.like(await t.throwsAsync(ingestDyingAt(t.context, point, bytes)), { signal: 'SIGKILL' });
      for (const table of ['documents', 'ocr_jobs', 'ingest_ledger']) t.is(await count(table), documents, table);

      t.is(await ingestAgain(t.context, bytes), documents === 0 ? 'ingested' : 'duplicate');
      for (const table of ['documents', 'ocr_jobs', 'ingest_ledger']) t.is(await count(table), 1, table);
      t.is((await stored()).length, 1);
      const mostlyLeft = point === 'while receiving' ? [0, leftBehind] : [leftBehind]; // it may be killed before it has a file
      t.true(mostlyLeft.includes((await leftovers()).length));
      await deps.temp.sweep(new Date(Date.now() + 1_000));
      t.deepEqual(await leftovers(), []);
      t.is((await stored()).length, 1, 'the stored object outlives the temporary name of the same bytes');
    });
