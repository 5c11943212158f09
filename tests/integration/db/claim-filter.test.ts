import { claimJob } from '@sheaf/queue';
import { enqueueJob, givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import type { JobPriority } from '@sheaf/vocabulary/jobs';
import anyTest, { type TestFn } from 'ava';

const LEASE_MS = 60_000;
const test = anyTest as TestFn<Awaited<ReturnType<typeof openTestDatabase>> & { ownerId: string }>;

test.beforeEach(async (t) => {
  const database = await openTestDatabase();
  t.context = Object.assign(database, { ownerId: (await givenUser(database.db, { role: 'editor' })).id });
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const TEXT = { mimeType: 'text/plain', sizeBytes: 500 };

const queue = async (
  { db, ownerId }: { db: Parameters<typeof enqueueJob>[0]; ownerId: string },
  priority: JobPriority,
  fields: { mimeType: string; sizeBytes: number } = { mimeType: 'application/pdf', sizeBytes: 500 },
): Promise<string> => {
  const { id } = await givenDocument(db, { ownerId, ...fields });
  await enqueueJob(db, { documentId: id, maxAttempts: 3, priority });
  return id;
};

test('a claim of urgent jobs leaves all others, however long they wait', async (t) => {
  const { db } = t.context;
  for (const priority of ['low', 'normal', 'high'] as const) await queue(t.context, priority);
  t.is(await claimJob(db, 'a', LEASE_MS, { leastPriority: 'urgent' }), undefined);
  const urgent = await queue(t.context, 'urgent');
  t.like(await claimJob(db, 'a', LEASE_MS, { leastPriority: 'urgent' }), { documentId: urgent, isUrgent: true });
  t.is(await claimJob(db, 'a', LEASE_MS, { leastPriority: 'urgent' }), undefined);
  t.like(await claimJob(db, 'a', LEASE_MS), { isUrgent: false });
});

test('a claim of short documents takes small texts, the most urgent first, and nothing else', async (t) => {
  const { db } = t.context;
  for (let n = 0; n < 70; n += 1) await queue(t.context, 'urgent');
  await queue(t.context, 'urgent', { mimeType: 'text/plain', sizeBytes: 1024 * 1024 + 1 });
  t.is(await claimJob(db, 'a', LEASE_MS, { isShort: true }), undefined);
  const normal = await queue(t.context, 'normal', TEXT);
  const urgent = await queue(t.context, 'urgent', TEXT);
  t.is((await claimJob(db, 'a', LEASE_MS, { isShort: true }))?.documentId, urgent);
  t.is((await claimJob(db, 'a', LEASE_MS, { isShort: true }))?.documentId, normal);
  t.is(await claimJob(db, 'a', LEASE_MS, { isShort: true }), undefined);
});
