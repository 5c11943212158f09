import {
  beginAlone,
  type ClaimedJob,
  claimJob,
  completeJob,
  LeaseLost,
  type Recovery,
  recoverJobs,
  releaseJob,
  renewLease,
  retryJob,
} from '@sheaf/queue';
import { enqueueJob, givenDocument, givenUser, type TestDatabase } from '@sheaf/testkit';
import { testWithOwnDatabase } from '../../support/test-database.ts';
import { waitFor } from '../../support/wait-for.ts';

const LEASE_MS = 60_000;
/** Recovery trusts leases this long after the start of the database server, which tests share. */
const SETTLED_MS = 1;

const test = testWithOwnDatabase();

const givenJob = async ({ db }: TestDatabase, priority: 'normal' | 'high' = 'normal', maxAttempts = 4): Promise<string> => {
  const owner = await givenUser(db, { role: 'editor' });
  const { id } = await givenDocument(db, { ownerId: owner.id });
  await enqueueJob(db, { documentId: id, maxAttempts, priority });
  return id;
};

const claimed = async ({ db }: TestDatabase, worker: string): Promise<ClaimedJob> => {
  const job = await claimJob(db, worker, LEASE_MS);
  if (job === undefined) throw new Error('nothing could be claimed');
  return job;
};

/** The worker is gone, and its leases have expired. */
const killed = ({ pool }: TestDatabase, worker: string): Promise<unknown> =>
  pool.query("update ocr_jobs set lease_until = now() - interval '1 second' where lease_by = $1", [worker]);

const recovered = ({ db }: TestDatabase): Promise<Recovery> => recoverJobs(db, 'recoverer', SETTLED_MS);

const rowOf = async ({ pool }: TestDatabase, documentId: string): Promise<unknown> =>
  (await pool.query('select status, attempts, crashes, is_suspect from ocr_jobs where document_id = $1', [documentId])).rows[0];

test('a crash is put down to the document that was processed alone; after the second one it is handed over to be failed', async (t) => {
  const id = await givenJob(t.context);
  const job = await claimed(t.context, 'a');
  await killed(t.context, 'a');
  t.deepEqual(await recovered(t.context), { pending: [{ documentId: id, crashes: 1, isSuspect: true }], poison: [] });
  t.deepEqual(await rowOf(t.context, id), { status: 'pending', attempts: 1, crashes: 1, is_suspect: true });
  await t.throwsAsync(() => completeJob(t.context.db, job), { instanceOf: LeaseLost });

  const again = await claimed(t.context, 'b');
  t.true(await beginAlone(t.context.db, again));
  await killed(t.context, 'b');
  const { pending, poison } = await recovered(t.context);
  t.deepEqual(pending, []);
  t.like(poison[0], { documentId: id, worker: 'recoverer', crashes: 2 });
});

test('whoever dies before it has failed the document leaves that to the next one', async (t) => {
  const id = await givenJob(t.context);
  for (const worker of ['a', 'b']) {
    const job = await claimed(t.context, worker);
    if (job.isSuspect) await beginAlone(t.context.db, job);
    await killed(t.context, worker);
    await recovered(t.context);
  }
  await killed(t.context, 'recoverer');
  const { poison } = await recovered(t.context);
  t.like(poison[0], { documentId: id, crashes: 2, attempts: 2 });
});

test('documents that were processed together are suspects, and lose no try', async (t) => {
  const ids = [await givenJob(t.context), await givenJob(t.context), await givenJob(t.context)];
  await claimed(t.context, 'a');
  await claimed(t.context, 'a');
  await claimed(t.context, 'b');
  await killed(t.context, 'a');
  t.is((await recovered(t.context)).pending.length, 2);
  const suspect = { status: 'pending', attempts: 0, crashes: 0, is_suspect: true };
  t.deepEqual(await rowOf(t.context, ids[0] ?? ''), suspect);
  t.deepEqual(await rowOf(t.context, ids[1] ?? ''), suspect);
  t.like(await rowOf(t.context, ids[2] ?? ''), { status: 'processing', is_suspect: false });
});

const givenSuspects = async (context: TestDatabase, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await givenJob(context));
  for (let n = 0; n < count; n += 1) await claimed(context, 'dead');
  await killed(context, 'dead');
  await recovered(context);
  return ids;
};

test('suspects go behind those that wait, one at a time, and their worker takes nothing else meanwhile', async (t) => {
  const { db } = t.context;
  const suspects = await givenSuspects(t.context, 2);
  await t.context.pool.query("update ocr_jobs set due_at = due_at + interval '1 hour'");
  const ordinary = await givenJob(t.context);
  await t.context.pool.query("update ocr_jobs set due_at = due_at - interval '2 hours'");
  t.is((await claimed(t.context, 'a')).documentId, ordinary);
  const late = await givenJob(t.context);
  const suspect = await claimed(t.context, 'a');
  t.true(suspect.isSuspect);
  t.true(suspects.includes(suspect.documentId));
  t.is(await claimJob(db, 'a', LEASE_MS), undefined, 'the worker of a suspect takes nothing else');
  t.is((await claimed(t.context, 'b')).documentId, late, 'other workers do, but for suspects');
  t.is(await claimJob(db, 'b', LEASE_MS), undefined);
});

test('of many workers at once one gets a suspect, and one only', async (t) => {
  const suspects = await givenSuspects(t.context, 8);
  for (let n = 0; n < suspects.length; n += 1) {
    const jobs = await Promise.all(Array.from({ length: 12 }, (_, worker) => claimJob(t.context.db, `w${worker}`, LEASE_MS)));
    const [job, ...more] = jobs.filter((found) => found !== undefined);
    t.deepEqual(more, []);
    if (job === undefined) return t.fail('nobody got one');
    await completeJob(t.context.db, job);
  }
  t.is(await claimJob(t.context.db, 'a', LEASE_MS), undefined);
});

test('a suspect starts when its worker has nothing else open, and until then no crash is put down to it', async (t) => {
  await givenSuspects(t.context, 2);
  const ordinary = await givenJob(t.context, 'high');
  const beside = await claimed(t.context, 'a');
  t.is(beside.documentId, ordinary);
  const suspect = await claimed(t.context, 'a');
  t.true(suspect.isSuspect);
  t.false(await beginAlone(t.context.db, suspect));
  await killed(t.context, 'a');
  await recovered(t.context);
  t.like(await rowOf(t.context, ordinary), { crashes: 1, is_suspect: true });
  t.like(await rowOf(t.context, suspect.documentId), { status: 'pending', crashes: 0, is_suspect: true, attempts: 0 });
});

test('a suspect that completes is cleared', async (t) => {
  const [id = ''] = await givenSuspects(t.context, 1);
  t.like(await rowOf(t.context, id), { crashes: 1, is_suspect: true });
  const job = await claimed(t.context, 'a');
  t.true(await beginAlone(t.context.db, job));
  await completeJob(t.context.db, job);
  t.like(await rowOf(t.context, id), { status: 'completed', crashes: 0, is_suspect: false });
});

test('a job that is released is no crash, and a suspect stays one', async (t) => {
  const id = await givenJob(t.context);
  await releaseJob(t.context.db, await claimed(t.context, 'a'));
  t.deepEqual(await rowOf(t.context, id), { status: 'pending', attempts: 0, crashes: 0, is_suspect: false });
  await claimed(t.context, 'a');
  await killed(t.context, 'a');
  await recovered(t.context);
  const job = await claimed(t.context, 'b');
  await beginAlone(t.context.db, job);
  await releaseJob(t.context.db, job);
  t.deepEqual(await rowOf(t.context, id), { status: 'pending', attempts: 1, crashes: 1, is_suspect: true });
  t.deepEqual(await recovered(t.context), { pending: [], poison: [] });
});

test('a worker is not dead while one of its leases holds; one that it let expire alone is a try', async (t) => {
  const { db, pool } = t.context;
  const [left, held] = [await givenJob(t.context), await givenJob(t.context)];
  const job = await claimed(t.context, 'a');
  const other = await claimed(t.context, 'a');
  const serverIsOldEnough = async (): Promise<boolean> =>
    (await pool.query("select 1 where pg_postmaster_start_time() < now() - interval '1 second'")).rows.length > 0;
  await waitFor(serverIsOldEnough, { description: 'the database server to be up for a second', limitMs: 10_000 });
  await renewLease(db, other, 900);
  await pool.query("update ocr_jobs set lease_until = now() - interval '1 millisecond' where id = $1", [job.id]);
  t.deepEqual(await recoverJobs(db, 'recoverer', 1_000), { pending: [], poison: [] }, 'it has not renewed the other one since');
  await renewLease(db, other, LEASE_MS);
  t.is((await recovered(t.context)).pending.length, 1);
  t.deepEqual(await rowOf(t.context, left), { status: 'pending', attempts: 1, crashes: 0, is_suspect: false });
  t.like(await rowOf(t.context, held), { status: 'processing' });
});

test('while the database has been up for less than a lease nobody is taken for dead', async (t) => {
  await givenJob(t.context);
  await claimed(t.context, 'a');
  await killed(t.context, 'a');
  t.deepEqual(await recoverJobs(t.context.db, 'recoverer', 100 * 24 * 3_600_000), { pending: [], poison: [] });
  t.is((await recovered(t.context)).pending.length, 1);
});

test('several that recover at once count a crash once', async (t) => {
  const ids = await Promise.all(Array.from({ length: 5 }, () => givenJob(t.context)));
  for (const [n] of ids.entries()) {
    await claimed(t.context, `w${n}`);
    await killed(t.context, `w${n}`);
  }
  await Promise.all(Array.from({ length: 8 }, () => recovered(t.context)));
  await recovered(t.context);
  for (const id of ids) t.like(await rowOf(t.context, id), { status: 'pending', crashes: 1, attempts: 1 });
});

test('queueing a document again clears what was held against it', async (t) => {
  const [id = ''] = await givenSuspects(t.context, 1);
  await enqueueJob(t.context.db, { documentId: id, maxAttempts: 4 });
  t.deepEqual(await rowOf(t.context, id), { status: 'pending', attempts: 0, crashes: 0, is_suspect: false });
});

test('a retry goes behind those that wait and are as urgent', async (t) => {
  const failing = await givenJob(t.context);
  const waiting = [await givenJob(t.context), await givenJob(t.context)];
  await retryJob(t.context.db, await claimed(t.context, 'a'), { reason: 'timeout' }, 0);
  const order = [];
  for (let n = 0; n < 3; n += 1) order.push((await claimed(t.context, 'a')).documentId);
  t.deepEqual(order, [...waiting, failing]);
});
