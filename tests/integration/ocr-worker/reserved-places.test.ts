import { type JobControl, JobSlots } from '@sheaf/ocr-worker/testing';
import { constant, silentLogger } from '@sheaf/process';
import { type ClaimedJob, completeJob } from '@sheaf/queue';
import { enqueueJob, givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import type { JobPriority } from '@sheaf/vocabulary/jobs';
import anyTest, { type TestFn } from 'ava';
import { waitFor } from '../../support/wait-for.ts';

const PDF = { mimeType: 'application/pdf', sizeBytes: 500 };
const TEXT = { mimeType: 'text/plain', sizeBytes: 500 };
/** All places of a process with one slot that take any document: the slot and its guests. */
const PLACES = 4;

/** The queue of a process with one slot, where a PDF hangs until it is asked to stop and a text is done at once. */
const openScene = async () => {
  const database = await openTestDatabase();
  const { db } = database;
  const ownerId = (await givenUser(db, { role: 'editor' })).id;
  const texts = new Set<string>();
  const [hanging, done]: [Set<string>, string[]] = [new Set(), []];
  const runner = {
    space: { hasRoom: async () => true },
    run: async (job: ClaimedJob, { stop }: JobControl): Promise<void> => {
      if (texts.has(job.documentId)) {
        await completeJob(db, job);
        done.push(job.documentId);
        return;
      }
      hanging.add(job.documentId);
      await new Promise((resolve) => stop.addEventListener('abort', resolve));
      hanging.delete(job.documentId);
    },
  };
  const slots = new JobSlots({
    db,
    log: silentLogger(),
    runner,
    host: 'host',
    languages: ['eng'],
    worker: 'worker',
    settings: { slots: constant(1), readers: 2, leaseMs: 60_000 },
  });
  const queue = async (kind: typeof PDF, priority: JobPriority = 'normal'): Promise<string> => {
    const { id } = await givenDocument(db, { ownerId, ...kind });
    if (kind === TEXT) texts.add(id);
    await enqueueJob(db, { documentId: id, maxAttempts: 3, priority });
    slots.nudge();
    return id;
  };
  return { database, slots, queue, hanging, done };
};

const test = anyTest as TestFn<Awaited<ReturnType<typeof openScene>>>;
test.beforeEach(async (t) => {
  t.context = await openScene();
});
test.afterEach.always(async (t) => {
  await t.context.slots.stop();
  await t.context.database[Symbol.asyncDispose]();
});

const until = (description: string, look: () => boolean): Promise<true> => waitFor(look, { description, limitMs: 60_000 });

/** 64 documents that hang, as many of them under way as there may be. */
const fill = async ({ queue, slots, hanging }: Awaited<ReturnType<typeof openScene>>, priority: JobPriority): Promise<void> => {
  for (let n = 0; n < 64; n += 1) await queue(PDF, priority);
  await slots.start();
  const places = priority === 'urgent' ? PLACES + 2 : PLACES;
  await until('every place to be taken', () => hanging.size >= places);
};

for (const priority of ['normal', 'urgent'] as const) {
  test(`an urgent text is processed while 64 ${priority} documents hang, and so is one of no priority`, async (t) => {
    const { queue, hanging, done } = t.context;
    await fill(t.context, priority);
    const before = [...hanging];
    const urgent = await queue(TEXT, 'urgent');
    await until('the urgent text', () => done.includes(urgent));
    const normal = await queue(TEXT);
    await until('the other text', () => done.includes(normal));
    t.deepEqual([...hanging], before, 'nobody had to give way');
  });
}

test('an urgent document that is no text begins while 64 others hang', async (t) => {
  const { queue, hanging } = t.context;
  await fill(t.context, 'normal');
  const urgent = await queue(PDF, 'urgent');
  await until('the urgent document to begin', () => hanging.has(urgent));
  t.is(hanging.size, PLACES + 1);
});

test('the places of urgent and short documents are for nobody else', async (t) => {
  const { queue, hanging, done } = t.context;
  await fill(t.context, 'normal');
  for (let n = 0; n < 20; n += 1) await queue(TEXT);
  await until('the texts', () => done.length === 20); // many rounds of claims
  t.is(hanging.size, PLACES);
});
