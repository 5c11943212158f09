import { AppError } from '@sheaf/contract';
import { QueueGate } from '@sheaf/ingest';
import { constant } from '@sheaf/process';
import { enqueueJob, givenDocument, givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';

const givenWaiting = async ({ db }: TestDatabase, count: number): Promise<void> => {
  const { id: ownerId } = await givenUser(db);
  for (let n = 0; n < count; n += 1) await enqueueJob(db, { documentId: (await givenDocument(db, { ownerId })).id, maxAttempts: 3 });
};

test('of many who come at once no more are let in than there is room for', async (t) => {
  await using database = await openTestDatabase();
  await givenWaiting(database, 2);
  const gate = new QueueGate(database.db, constant(5));
  const entered = await Promise.allSettled(Array.from({ length: 8 }, () => gate.enter()));
  t.is(entered.filter(({ status }) => status === 'fulfilled').length, 3);
  const error = await t.throwsAsync(gate.requireRoom(), { instanceOf: AppError });
  t.is(error.status, 503);
  t.is(error.code, 'QUEUE_FULL');
  t.deepEqual(error.details, { limit: 5, retry_after_seconds: 10 });
});

test('there is room again as soon as fewer wait, and a wait for it can be ended', async (t) => {
  await using database = await openTestDatabase();
  await givenWaiting(database, 1);
  const gate = new QueueGate(database.db, constant(1));
  t.true(await gate.isFull());
  const stop = new AbortController();
  const ended = t.throwsAsync(gate.waitForRoom(stop.signal), { message: 'enough' });
  stop.abort(new Error('enough'));
  await ended;
  await database.pool.query(`update ocr_jobs set status = 'failed', completed_at = now()`);
  await waitFor(async () => !(await gate.isFull()), { description: 'room in the queue', limitMs: 20_000 });
  await gate.waitForRoom(new AbortController().signal);
  t.pass();
});

test('without a limit nothing is counted', async (t) => {
  await using database = await openTestDatabase();
  const gate = new QueueGate(database.db, constant(undefined));
  await database.close(); // a count would fail
  await gate.enter();
  t.false(await gate.isFull());
});
