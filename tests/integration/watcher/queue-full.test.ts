import { existsSync } from 'node:fs';
import { QueueGate } from '@sheaf/ingest';
import { constant } from '@sheaf/process';
import { givenUser } from '@sheaf/testkit';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';
import { openWatchBench } from './fixture.ts';

test('while OCR_QUEUE_SIZE documents wait, files stay where they are and say why; they are imported when fewer wait', async (t) => {
  await using bench = await openWatchBench();
  const { db, pool } = bench.database;
  await givenUser(db, { role: 'admin' });
  const { scan } = bench.makeScanner({}, { queue: new QueueGate(db, constant(2)) });
  for (const name of ['a', 'b', 'c', 'd']) await bench.drop(`${name}.txt`, name);
  t.is((await scan()).taken, 2);
  const states = async (): Promise<string[]> => (await bench.ledger()).map((line) => line.slice('a.txt '.length)).toSorted();
  const waiting = 'waiting queue_full';
  t.deepEqual(await states(), ['ingested', 'ingested', waiting, waiting]);
  t.is((await scan()).taken, 0);
  t.deepEqual(await states(), ['ingested', 'ingested', waiting, waiting]);
  t.is((await pool.query(`select from ingest_ledger where reason_code = 'queue_full'`)).rowCount, 2);
  const { rows } = await pool.query(`select from events where type = 'ingest'`);
  t.is(rows.length, 4, 'each is told of once, however often it is looked at');
  t.true(existsSync(`${bench.watch}/d.txt`));
  await pool.query(`update ocr_jobs set status = 'completed', completed_at = now()`);
  await waitFor(async () => (await scan()).taken > 0, { description: 'the others to be taken in', limitMs: 20_000 });
  t.deepEqual(await states(), ['ingested', 'ingested', 'ingested', 'ingested']);
});
