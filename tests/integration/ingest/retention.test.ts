// Documents leave the trash for good when their time is over: rows first, then bytes.
import { loadConfig } from '@sheaf/config';
import { purgeExpired, restoreInTransaction } from '@sheaf/ingest/trash';
import { constant, silentLogger, systemClock } from '@sheaf/process';
import { makeHousekeeping } from '@sheaf/watcher/testing';
import anyTest, { type TestFn } from 'ava';
import { waitFor } from '../../support/wait-for.ts';
import { documentOf, type IngestBench, openIngestBench } from './fixture.ts';
import { trashDocuments } from './trash-documents.ts';

const test = anyTest as TestFn<IngestBench>;

test.beforeEach(async (t) => {
  t.context = await openIngestBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

/** A document that has been in the trash for so many days. */
const givenTrashed = async ({ take, db, rows }: IngestBench, text: string, days: number): Promise<string> => {
  const { id } = documentOf(await take(text));
  await trashDocuments(db, [id]);
  await rows('update trashed_documents set trashed_at = now() - make_interval(days => $2) where id = $1', id, days);
  return id;
};

test('documents whose TRASH_RETENTION_DAYS are over are removed with their bytes, the others stay', async (t) => {
  const { deps, db, rows, stored } = t.context;
  const old = await givenTrashed(t.context, 'old', 3);
  const young = await givenTrashed(t.context, 'young', 1);
  const { config } = loadConfig({ environment: { TRASH_RETENTION_DAYS: '2' } });
  const parts = makeHousekeeping({
    db,
    storage: deps.storage,
    temp: deps.temp,
    maxThumbnailBytes: 1e9,
    maxSearchableBytes: 1e9,
    trashRetentionMs: constant(config.storage.trashRetentionMs),
    clock: systemClock,
    log: silentLogger(),
  });
  const loop = parts.find(({ name }) => name === 'purge-trash');
  await loop?.start();
  t.teardown(() => loop?.stop());
  await waitFor(async () => (await stored()).length === 1, { limitMs: 20_000, description: 'the bytes of the old one are gone' });
  t.deepEqual(await rows('select id from trashed_documents'), [{ id: young }]);
  t.deepEqual(
    await rows('select subject_id, actor_id, details ->> $1 as reason from audit_log where action = $2', 'reason', 'document.purged'),
    [{ subject_id: old, actor_id: null, reason: 'retention' }],
  );
  t.is((await rows("select from events where type = 'document_purged' and document_id = $1", old)).length, 1);
});

test('many are removed some at a time, and bytes that something refers to stay', async (t) => {
  const { db, rows } = t.context;
  for (let n = 0; n < 3; n += 1) await givenTrashed(t.context, `old ${n}`, 40);
  // more than one step: rows alone
  await rows('insert into document_ids select md5(id::text || n)::uuid from trashed_documents, generate_series(1, 70) as n');
  await rows(`insert into trashed_documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source,
      created_at, trashed_at, reason, was_indexed)
    select md5(id::text || n)::uuid, owner_id, title, filename, mime_type, size_bytes, sha256 || n, '/nowhere', ocr_language, source, created_at,
      trashed_at, reason, false
    from trashed_documents, generate_series(1, 70) as n`);
  const removed: string[] = [];
  const total = await purgeExpired(db, new Date(Date.now() - 30 * 86_400_000), {
    removeBytes: async (sha256) => void removed.push(sha256),
  });
  t.is(total, 213);
  t.is(new Set(removed).size, 213);
  t.deepEqual(await rows('select from document_ids'), []);
});

test('of restoring and removing at the same moment one happens, and nothing is lost that was restored', async (t) => {
  const { db, deps, rows, stored } = t.context;
  for (let n = 0; n < 10; n += 1) {
    const id = await givenTrashed(t.context, `contested ${n}`, 40);
    const { removeStoredBytes } = await import('@sheaf/ingest');
    const removeBytes = async (sha256: string): Promise<void> => void (await removeStoredBytes({ db, storage: deps.storage }, sha256));
    const [restored, purged] = await Promise.all([
      restoreInTransaction(db, id).then(
        () => true,
        () => false,
      ),
      purgeExpired(db, new Date(), { removeBytes }),
    ]);
    t.not(restored, purged === 1);
    t.is((await rows('select from documents where id = $1', id)).length, restored ? 1 : 0);
    t.is((await stored()).length, (await rows('select distinct sha256 from kept_files')).length);
  }
});
