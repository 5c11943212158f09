import { QueueGate } from '@sheaf/ingest';
import { constant } from '@sheaf/process';
import { SyncEngine } from '@sheaf/sync/testing';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';
import { openSyncBench } from './fixture.ts';

/** More than are on their way at the same time, so that some of them have to wait before they are fetched. */
const FILES = 12;

test('while OCR_QUEUE_SIZE documents wait, a run fetches nothing more; it goes on when fewer wait, and nothing has failed', async (t) => {
  await using bench = await openSyncBench();
  const { db, pool } = bench.database;
  await bench.engine.stop(); // in place of it one with a limit
  const engine = new SyncEngine({ ...bench.deps, ingest: { ...bench.deps.ingest, queue: new QueueGate(db, constant(2)) } });
  t.teardown(() => engine.stop());
  await engine.start();
  for (let n = 0; n < FILES; n += 1) await bench.put(`f${n}.txt`, `file ${n}`);
  const sourceId = await bench.addSource();
  const runId = await bench.ask(sourceId);
  engine.nudge();
  const documents = async (): Promise<number> => (await bench.rows('select from documents')).length;
  const waiting = () => bench.rows(`select path from ingest_ledger where state = 'waiting' and reason_code = 'queue_full'`);
  await waitFor(async () => (await documents()) === 2 && (await waiting()).length > 0, { description: 'a full queue', limitMs: 20_000 });
  t.is((await bench.rows(`select from ocr_jobs where status = 'pending'`)).length, 2);
  const fetched = bench.downloads();
  t.true(fetched < FILES, 'what waits is not fetched in vain');
  await waitFor(
    async () => {
      await pool.query(`update ocr_jobs set status = 'completed', completed_at = now() where status = 'pending'`);
      return (await documents()) === FILES;
    },
    { description: 'the other files', limitMs: 30_000 },
  );
  t.like(await bench.untilEnded(sourceId, runId), { state: 'completed', added: FILES, failed: 0 });
  t.deepEqual(await bench.rows(`select path from ingest_ledger where state <> 'ingested'`), []);
});
