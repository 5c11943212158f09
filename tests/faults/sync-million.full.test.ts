import { setFlagsFromString } from 'node:v8';
import type { Listing, RemoteFile, SourceDriver } from '@sheaf/sources';
import { SyncEngine } from '@sheaf/sync/testing';
import test from 'ava';
import { openSyncBench } from '../integration/sync/fixture.ts';
import { waitFor } from '../support/wait-for.ts';

// as the service starts its processes (Procfile)
for (const flag of ['--max-semi-space-size=8', '--heap-growing-percent=30']) setFlagsFromString(flag);

const ENTRIES = 1_000_000;
const BATCH = 1_000;
const MB = 1024 ** 2;
const MODIFIED = new Date('2025-03-01T10:00:00Z');

const fileOf = (n: number): RemoteFile => ({
  path: `folder ${Math.floor(n / BATCH)}/paper ${n}.txt`,
  sizeBytes: 10_000,
  modifiedAt: MODIFIED,
  etag: `"${n}"`,
});

/** Lists files that nobody has to keep anywhere. */
const makeGeneratedDriver = (): SourceDriver => ({
  check: async () => {},
  close: async () => {},
  open: () => Promise.reject(new Error('nothing is to be fetched')),
  list: async function* (signal): AsyncIterable<Listing> {
    for (let begin = 0; begin < ENTRIES; begin += BATCH) {
      signal.throwIfAborted();
      yield { files: Array.from({ length: BATCH }, (_, i) => fileOf(begin + i)), refused: [] };
    }
  },
});

test('a million unchanged files are run over without a download, a write or more memory than a few batches', async (t) => {
  t.timeout(3 * 300_000);
  await using bench = await openSyncBench();
  const { rows, addSource, engine, ask, deps, database } = bench;
  await engine.stop();
  const id = await addSource();
  await rows(
    `insert into source_files (source_id, path, etag, size_bytes, modified_at, sha256, state)
     select $1, 'folder ' || n / ${BATCH} || '/paper ' || n || '.txt', '"' || n || '"', 10000, $2, 'x', 'ingested'
     from generate_series(0, ${ENTRIES - 1}) as n`,
    id,
    MODIFIED,
  );
  await database.pool.query('analyze source_files');
  const mine = new SyncEngine({ ...deps, openDriver: makeGeneratedDriver });
  t.teardown(() => mine.stop());
  const before = process.memoryUsage();
  let peak = 0;
  const sample = setInterval(() => {
    const { heapUsed, external } = process.memoryUsage();
    peak = Math.max(peak, heapUsed + external);
  }, 100);
  t.teardown(() => clearInterval(sample));
  const runId = await ask(id);
  await mine.start();
  const run = await waitFor(async () => (await rows('select * from sync_runs where id = $1 and finished_at is not null', runId))[0], {
    description: 'the run to end',
    limitMs: 240_000,
    everyMs: 500,
  });
  t.like(run, { state: 'completed', total: ENTRIES, processed: ENTRIES, skipped: ENTRIES, removed: 0, failed: 0 });
  t.deepEqual(await rows('select from source_files where updated_at > created_at or removed_at is not null limit 1'), []);
  const grownMb = (peak - before.heapUsed - before.external) / MB;
  t.log(`${grownMb.toFixed(0)} MB more at most`);
  t.true(grownMb < 128, `${grownMb.toFixed(0)} MB`);
});
