import { text } from '../../support/messages.ts';
// A watched file whose document was deleted on purpose does not come back by itself, under whatever name it is met again.

import type { LedgerEntry } from '@sheaf/db/schema';
import { deleteDocument } from '@sheaf/documents';
import { givenUser } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { documentOf, type IngestBench, openIngestBench } from './fixture.ts';

const test = anyTest as TestFn<IngestBench>;

test.beforeEach(async (t) => {
  t.context = await openIngestBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const WRITTEN = new Date('2026-03-01T10:00:00.123Z');
const watched = (ledgerPath: string) => ({ route: 'watch', ledgerPath, modifiedAt: WRITTEN }) as const;
const DELETED = { outcome: 'duplicate', documentId: null, requeued: false } as const;

/** A file that was imported from `in/a.txt`, and its document deleted. */
const givenDeleted = async ({ take, db }: IngestBench): Promise<void> => {
  const document = documentOf(await take('text', watched('in/a.txt')));
  await deleteDocument(db, document.id);
};

const rowOf = async ({ rows }: IngestBench, path: string): Promise<Partial<LedgerEntry>> => {
  const [row] = await rows('select state, reason, document_id from ingest_ledger where path = $1', path);
  return row as Partial<LedgerEntry>;
};

test('a file that is renamed after its document was deleted is noted as a duplicate, once, and says how to have it again', async (t) => {
  await givenDeleted(t.context);
  t.deepEqual(await t.context.take('text', watched('in/b.txt')), DELETED);
  t.deepEqual(await rowOf(t.context, 'in/b.txt'), {
    state: 'duplicate',
    reason: text('importLog.document_deleted_of', { path: 'in/a.txt' }),
    document_id: null,
  } as never);
  t.is(await t.context.count("events where type = 'ingest'"), 2);
  t.is(await t.context.count('documents'), 0);
});

test('it stays so under a third name, and in a directory of the user', async (t) => {
  await givenDeleted(t.context);
  t.deepEqual(await t.context.take('text', watched('in/b.txt')), DELETED);
  await t.context.rows("delete from ingest_ledger where path = 'in/a.txt'");
  t.deepEqual(await t.context.take('text', { ...watched('ann/c.txt'), route: 'user_watch' }), DELETED);
});

test('a fresh copy, the same content for another owner and an upload are imported again', async (t) => {
  for (const [what, file] of [
    ['a copy with a time of its own', { ...watched('in/b.txt'), modifiedAt: new Date(WRITTEN.getTime() + 1) }],
    ['another owner', { ...watched('in/c.txt'), ownerId: (await givenUser(t.context.db)).id }],
    ['an upload', { route: 'upload', modifiedAt: WRITTEN }],
  ] as const) {
    await givenDeleted(t.context);
    const document = documentOf(await t.context.take('text', file));
    await deleteDocument(t.context.db, document.id);
    await t.context.rows('delete from ingest_ledger');
    t.pass(what);
  }
});

test('what came by upload alone is no reason to keep a watched file out', async (t) => {
  const document = documentOf(await t.context.take('text', { modifiedAt: WRITTEN }));
  await deleteDocument(t.context.db, document.id);
  t.is((await t.context.take('text', watched('in/a.txt'))).outcome, 'ingested');
});

test('a file whose document was deleted and uploaded again is a duplicate of the new one, under its old name and another', async (t) => {
  await givenDeleted(t.context);
  const again = documentOf(await t.context.take('text'));
  for (const path of ['in/a.txt', 'in/b.txt']) {
    t.deepEqual(await t.context.take('text', watched(path)), { outcome: 'duplicate', documentId: again.id, requeued: false });
    t.deepEqual(await rowOf(t.context, path), {
      state: 'duplicate',
      reason: text('errors.duplicate_file'),
      document_id: again.id,
    } as never);
  }
});

test('a file that is still here is a duplicate under another name', async (t) => {
  const document = documentOf(await t.context.take('text', watched('in/a.txt')));
  t.like(await t.context.take('text', watched('in/b.txt')), { outcome: 'duplicate', documentId: document.id });
});
