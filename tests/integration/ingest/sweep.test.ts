import { createHash } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { lockStoredBytes } from '@sheaf/db';
import { sweepOrphans } from '@sheaf/ingest';
import { systemClock, waitFor } from '@sheaf/runtime';
import { documentKey, previewKey } from '@sheaf/storage';
import { givenDocument } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { changedStorage, documentOf, type IngestBench, openIngestBench } from './fixture.ts';

const test = anyTest as TestFn<IngestBench>;

test.beforeEach(async (t) => {
  t.context = await openIngestBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** An object that was stored two days ago. */
const givenOldObject = async ({ deps }: IngestBench, key: string, text: string): Promise<void> => {
  const { path } = await deps.storage.put(key, Readable.from([text]));
  const then = new Date(Date.now() - 48 * 3_600_000);
  await utimes(path, then, then);
};

const sweep = ({ deps }: IngestBench): Promise<number> => sweepOrphans({ ...deps, clock: systemClock });

test('an old object without a document goes, with what was derived from it', async (t) => {
  await givenOldObject(t.context, documentKey(hashOf('orphan')), 'orphan');
  await givenOldObject(t.context, previewKey(hashOf('orphan')), 'preview');
  t.is(await sweep(t.context), 2);
  t.deepEqual(await t.context.stored(), []);
});

test('a young object without a document stays: its row may be about to come', async (t) => {
  await t.context.deps.storage.put(documentKey(hashOf('young')), Readable.from(['young']));
  t.is(await sweep(t.context), 0);
});

test('the bytes of a document stay, however old', async (t) => {
  const { filePath } = documentOf(await t.context.take('text'));
  const then = new Date(Date.now() - 48 * 3_600_000);
  await utimes(filePath, then, then);
  t.is(await sweep(t.context), 0);
  t.is((await t.context.stored()).length, 1);
});

test('an old orphan that is taken in again is fresh, and stays', async (t) => {
  await givenOldObject(t.context, documentKey(hashOf('text')), 'text');
  await t.context.take('text');
  t.is(await sweep(t.context), 0);
  t.is((await t.context.stored()).length, 1);
});

test('an orphan that is swept away under the hands of an ingest is stored anew', async (t) => {
  const { take, deps, stored } = t.context;
  const key = documentKey(hashOf('text'));
  await givenOldObject(t.context, key, 'text');
  let puts = 0;
  const storage = changedStorage(deps.storage, {
    put: async (...args) => {
      const put = await deps.storage.put(...args);
      puts += 1;
      if (puts === 1) await deps.storage.delete(key);
      return put;
    },
  });
  const result = await take('text', {}, { storage });
  t.is(result.outcome, 'ingested');
  t.is(puts, 2);
  t.deepEqual(await stored(), [key]);
});

test('the sweeper waits for an ingest that is just writing its row', async (t) => {
  const { db, deps, owner, stored } = t.context;
  const key = documentKey(hashOf('text'));
  await givenOldObject(t.context, key, 'text');
  let sweeping: Promise<number> | undefined;
  await db.transaction(async (tx) => {
    await lockStoredBytes(tx, hashOf('text'), 'share');
    sweeping = sweep(t.context);
    await waitFor(async () => (await t.context.count("pg_locks where locktype = 'advisory' and not granted")) > 0, {
      description: 'the sweeper to wait',
      limitMs: 5_000,
    });
    t.not(await deps.storage.stat(key), undefined);
    await givenDocument(tx, { ownerId: owner.id, sha256: hashOf('text') });
  });
  t.is(await sweeping, 0);
  t.deepEqual(await stored(), [key]);
});
