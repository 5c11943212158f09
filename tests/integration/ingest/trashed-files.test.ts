// Files whose document is in the trash: what somebody uploads, what appears in a watch folder, and what is only touched there.
import { givenUser } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { documentOf, type IngestBench, openIngestBench } from './fixture.ts';
import { trashDocuments } from './trash-documents.ts';

const test = anyTest as TestFn<IngestBench>;

test.beforeEach(async (t) => {
  t.context = await openIngestBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const WRITTEN = new Date('2026-03-01T10:00:00.123Z');
const watched = (ledgerPath: string, modifiedAt = WRITTEN) => ({ route: 'watch', ledgerPath, modifiedAt }) as const;

const rowOf = async ({ rows }: IngestBench, path: string) =>
  (await rows('select state, reason_code, document_id from ingest_ledger where path = $1', path))[0];

test('an upload tells where its document is, with labels as well; another owner gets one of their own', async (t) => {
  const { take, db, stored, count } = t.context;
  const { id } = documentOf(await take('text'));
  await trashDocuments(db, [id]);
  t.deepEqual(await take('text'), { outcome: 'trashed', documentId: id });
  t.deepEqual(await take('text', { filename: 'other.txt' }), { outcome: 'trashed', documentId: id });
  t.like(await rowOf(t.context, 'other.txt'), { state: 'duplicate', reason_code: 'document_in_trash', document_id: null });
  t.is(await count('documents'), 0);
  t.is((await stored()).length, 1);
  t.is((await take('text', { ownerId: (await givenUser(db)).id })).outcome, 'ingested');
});

test('a new file in a watch folder restores the document, and the ledger says so', async (t) => {
  const { take, db, rows } = t.context;
  const { id } = documentOf(await take('text'));
  await trashDocuments(db, [id]);
  t.is(documentOf(await take('text', watched('in/a.txt'))).id, id);
  t.deepEqual(await rowOf(t.context, 'in/a.txt'), { state: 'ingested', reason_code: 'restored_from_trash', document_id: id });
  t.deepEqual(await rows('select from trashed_documents'), []);
  t.is((await rows('select from ocr_jobs where document_id = $1', id)).length, 1);
  t.is((await rows(`select from audit_log where action = 'document.restored' and actor_id is null`)).length, 1);
});

test('neither a touch nor another name brings back what was deleted on purpose; a copy with a time of its own does', async (t) => {
  const { take, db, count } = t.context;
  const { id } = documentOf(await take('text', watched('in/a.txt')));
  await trashDocuments(db, [id]);
  for (const file of [watched('in/b.txt'), watched('in/a.txt'), watched('in/a.txt', new Date(WRITTEN.getTime() + 1))])
    t.like(await take('text', file), { outcome: 'duplicate', documentId: null });
  t.is(await count('documents'), 0);
  t.is(documentOf(await take('text', watched('in/c.txt', new Date(WRITTEN.getTime() + 5)))).id, id);
  t.like(await rowOf(t.context, 'in/a.txt'), { state: 'ingested', reason_code: null, document_id: id });
});
