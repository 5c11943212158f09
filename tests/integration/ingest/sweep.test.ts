import { createHash } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { deleteDocument, lockDocumentByHash, lockStoredBytes } from '@sheaf/documents';
import { removeStoredBytes, sweepOrphans } from '@sheaf/ingest';
import { systemClock } from '@sheaf/process';
import { documentKey, orphanKey, previewKey, thumbnailKey } from '@sheaf/storage';
import { givenDocument, givenUser } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { changedStorage } from '../../support/changed-storage.ts';
import { waitFor } from '../../support/wait-for.ts';
import { documentOf, type IngestBench, openIngestBench } from './fixture.ts';

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

test('an original that no document refers to is set aside, and goes for good after 30 days', async (t) => {
  const { deps, take } = t.context;
  await take('another document');
  await givenOldObject(t.context, documentKey(hashOf('orphan')), 'orphan');
  t.is(await sweep(t.context), 1);
  t.is(await deps.storage.stat(documentKey(hashOf('orphan'))), undefined);
  t.is((await deps.storage.stat(orphanKey(hashOf('orphan'))))?.sizeBytes, 6);
  t.is(await sweep(t.context), 0);
  t.not(await deps.storage.stat(orphanKey(hashOf('orphan'))), undefined);
  await sweepOrphans({ ...deps, clock: { now: () => new Date(Date.now() + 31 * 24 * 3_600_000) } });
  t.is(await deps.storage.stat(orphanKey(hashOf('orphan'))), undefined);
});

test('a database without any document sweeps nothing', async (t) => {
  await givenOldObject(t.context, documentKey(hashOf('orphan')), 'orphan');
  t.is(await sweep(t.context), 0);
  t.not(await t.context.deps.storage.stat(documentKey(hashOf('orphan'))), undefined);
});

test('an old preview without a document goes', async (t) => {
  await t.context.take('another document');
  await givenOldObject(t.context, previewKey(hashOf('orphan')), 'preview');
  t.is(await sweep(t.context), 1);
  t.is(await t.context.deps.storage.stat(previewKey(hashOf('orphan'))), undefined);
});

test('a young object without a document stays: its row may be about to come', async (t) => {
  await t.context.take('another document');
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

test('an old orphan that is imported again is fresh, and stays', async (t) => {
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

test('the bytes of a deleted document go with what was derived from them, those of another document stay', async (t) => {
  const { db, deps, take, stored } = t.context;
  const other = await givenUser(db);
  const mine = documentOf(await take('text'));
  const theirs = documentOf(await take('text', { ownerId: other.id }));
  await deps.storage.put(previewKey(mine.sha256), Readable.from(['preview']));
  await deps.storage.put(thumbnailKey(mine.sha256, '400x400.webp'), Readable.from(['thumbnail']));
  await deleteDocument(db, mine.id);
  t.false(await removeStoredBytes(deps, mine.sha256));
  t.is((await stored()).length, 1);
  await deleteDocument(db, theirs.id);
  t.true(await removeStoredBytes(deps, mine.sha256));
  t.deepEqual(await stored(), []);
  t.is(await deps.storage.stat(previewKey(mine.sha256)), undefined);
  t.is(await deps.storage.stat(thumbnailKey(mine.sha256, '400x400.webp')), undefined);
});

test('a file may be deleted and imported again at once, over and over: what has a row has its bytes', async (t) => {
  const { db, deps, owner, take, count } = t.context;
  const coming = Array.from({ length: 15 }, () => take('text'));
  const going = async () => {
    for (let i = 0; i < 60; i += 1) {
      await db.transaction(async (tx) => {
        const document = await lockDocumentByHash(tx, owner.id, hashOf('text'));
        if (document !== undefined) await deleteDocument(tx, document.id);
      });
      await removeStoredBytes(deps, hashOf('text'));
    }
  };
  await Promise.allSettled([...coming, going()]);
  // an ingest that gave up may leave an orphan; the other way round would be a loss
  if ((await count('documents')) > 0) t.is((await t.context.stored()).length, 1);
  else t.pass();
});

test('the sweeper waits for an ingest that is just writing its row', async (t) => {
  const { db, deps, owner, stored, take } = t.context;
  await take('another document'); // a database without any document sweeps nothing
  const key = documentKey(hashOf('text'));
  await givenOldObject(t.context, key, 'text');
  let sweeping: Promise<number> | undefined;
  await db.transaction(async (tx) => {
    await lockStoredBytes(tx, hashOf('text'), 'share');
    sweeping = sweep(t.context);
    await waitFor(
      async () =>
        (await t.context.count(
          "pg_locks join pg_database on oid = database where datname = current_database() and locktype = 'advisory' and not granted",
        )) > 0,
      {
        description: 'the sweeper to wait',
        limitMs: 20_000,
      },
    );
    t.not(await deps.storage.stat(key), undefined);
    await givenDocument(tx, { ownerId: owner.id, sha256: hashOf('text') });
  });
  t.is(await sweeping, 0);
  t.true((await stored()).includes(key));
});
