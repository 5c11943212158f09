import { getDocument } from '@sheaf/documents';
import { claimJob, completeJob, failJob, LeaseLost, recordProgress, recoverJobs, releaseJob, renewLease, retryJob } from '@sheaf/queue';
import { enqueueJob, givenDocument, givenUser, openTestDatabase, principalOf } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';

const LEASE_MS = 60_000;

const test = anyTest as TestFn<Awaited<ReturnType<typeof openTestDatabase>>>;

// A database for each test: the queue is one for all rows in it.
test.beforeEach(async (t) => {
  t.context = await openTestDatabase();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const givenJob = async ({ db }: Awaited<ReturnType<typeof openTestDatabase>>, priority: 'low' | 'normal' | 'high' = 'normal') => {
  const owner = await givenUser(db, { role: 'editor' });
  const document = await givenDocument(db, { ownerId: owner.id });
  await enqueueJob(db, { documentId: document.id, maxAttempts: 4, priority });
  return { document, owner };
};

const claimed = async ({ db }: Awaited<ReturnType<typeof openTestDatabase>>, worker = 'a', leaseMs = LEASE_MS) => {
  const job = await claimJob(db, worker, leaseMs);
  if (job === undefined) throw new Error('nothing was due');
  return job;
};

/** The job whose lease ran out, once that is noticed. */
const takenOver = ({ db }: Awaited<ReturnType<typeof openTestDatabase>>, worker: string) =>
  waitFor(
    async () => {
      await recoverJobs(db, worker, 1);
      return claimJob(db, worker, LEASE_MS);
    },
    { description: 'the lease to run out', limitMs: 20_000 },
  );

test('a claim marks the document as being read and counts an attempt', async (t) => {
  const { document, owner } = await givenJob(t.context);
  const job = await claimed(t.context);
  t.is(job.documentId, document.id);
  t.is(job.attempts, 1);
  t.is((await getDocument(t.context.db, principalOf(owner), document.id)).status, 'processing');
});

test('two workers never claim the same job', async (t) => {
  for (let n = 0; n < 20; n += 1) await givenJob(t.context);
  const jobs = await Promise.all(Array.from({ length: 30 }, (_, n) => claimJob(t.context.db, `worker-${n}`, LEASE_MS)));
  const ids = jobs.flatMap((job) => (job === undefined ? [] : [job.id]));
  t.is(ids.length, 20);
  t.is(new Set(ids).size, 20);
});

test('a higher priority goes first, then the one that waits longest', async (t) => {
  const first = await givenJob(t.context, 'normal');
  const second = await givenJob(t.context, 'normal');
  const low = await givenJob(t.context, 'low');
  const high = await givenJob(t.context, 'high');
  const order = [];
  for (let n = 0; n < 4; n += 1) order.push((await claimed(t.context)).documentId);
  t.deepEqual(
    order,
    [high, first, second, low].map(({ document }) => document.id),
  );
});

test('a job whose lease ran out is claimed again, and its first holder may write nothing any more', async (t) => {
  await givenJob(t.context);
  const lost = await claimed(t.context, 'a', 1);
  const taken = await takenOver(t.context, 'b');
  t.is(taken.id, lost.id);
  t.is(taken.attempts, 2);
  for (const write of [
    () => renewLease(t.context.db, lost, LEASE_MS),
    () => recordProgress(t.context.db, lost, { done: 1, total: 2 }),
    () => completeJob(t.context.db, lost),
    () => failJob(t.context.db, lost, { reason: 'corrupt' }),
    () => retryJob(t.context.db, lost, { reason: 'timeout' }, 0),
    () => releaseJob(t.context.db, lost),
  ]) {
    await t.throwsAsync(write, { instanceOf: LeaseLost });
  }
  await t.notThrowsAsync(completeJob(t.context.db, taken));
});

test('the same worker that claims again does not pass for its earlier self', async (t) => {
  await givenJob(t.context);
  const earlier = await claimed(t.context, 'a', 1);
  await takenOver(t.context, 'a');
  await t.throwsAsync(() => completeJob(t.context.db, earlier), { instanceOf: LeaseLost });
});

test('a renewed lease is not taken over', async (t) => {
  await givenJob(t.context);
  const job = await claimed(t.context, 'a', 100);
  await renewLease(t.context.db, job, LEASE_MS);
  await recoverJobs(t.context.db, 'b', 1);
  t.is(await claimJob(t.context.db, 'b', LEASE_MS), undefined);
});

test('a job that was released is claimed at once and has lost no attempt', async (t) => {
  const { document, owner } = await givenJob(t.context);
  await releaseJob(t.context.db, await claimed(t.context));
  t.is((await getDocument(t.context.db, principalOf(owner), document.id)).status, 'pending');
  t.is((await claimed(t.context, 'b')).attempts, 1);
});

test('a retry comes due after its pause and not before', async (t) => {
  await givenJob(t.context);
  await retryJob(t.context.db, await claimed(t.context), { reason: 'timeout' }, 300);
  t.is(await claimJob(t.context.db, 'b', LEASE_MS), undefined);
  const again = await waitFor(() => claimJob(t.context.db, 'b', LEASE_MS), { description: 'the retry to come due', limitMs: 20_000 });
  t.is(again.attempts, 2);
});

test('queueing again starts over and takes the job from its holder', async (t) => {
  const { document } = await givenJob(t.context);
  const old = await claimed(t.context);
  await enqueueJob(t.context.db, { documentId: document.id, maxAttempts: 4, priority: 'high' });
  await t.throwsAsync(() => completeJob(t.context.db, old), { instanceOf: LeaseLost });
  t.is((await claimed(t.context, 'b')).attempts, 1);
});

fullOnly(test)('of 20 workers that claim 200 jobs at once, each job is done once', async (t) => {
  for (let n = 0; n < 200; n += 1) await givenJob(t.context);
  const done: string[] = [];
  await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      for (
        let job = await claimJob(t.context.db, `worker-${n}`, LEASE_MS);
        job !== undefined;
        job = await claimJob(t.context.db, `worker-${n}`, LEASE_MS)
      ) {
        await completeJob(t.context.db, job);
        done.push(job.id);
      }
    }),
  );
  t.is(done.length, 200);
  t.is(new Set(done).size, 200);
});
