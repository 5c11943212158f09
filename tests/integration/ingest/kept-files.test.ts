// Files of earlier versions and of documents in the trash are looked after as those of documents are.
import { utimes } from 'node:fs/promises';
import { hasLocalDocuments, readStoredSize, referencedHashes } from '@sheaf/documents';
import { removeStoredBytes, sweepOrphans } from '@sheaf/ingest';
import {
  countBytesAt,
  findPathsOfBytes,
  listBytesAt,
  listDocumentsOfBytes,
  listReferencedFiles,
  measureReferencedFiles,
  noteFileChecks,
  restoreFile,
} from '@sheaf/ingest/integrity';
import { findDueFiles } from '@sheaf/ingest/testing/integrity';
import { systemClock } from '@sheaf/process';
import { documentKey, orphanKey } from '@sheaf/storage';
import anyTest, { type TestFn } from 'ava';
import { moveFileToTrash, moveFileToVersion } from '../../support/kept-elsewhere.ts';
import { ADMINISTRATORS } from '../../support/notification-policies.ts';
import { type IntegrityBench, openIntegrityBench } from './integrity-fixture.ts';

const test = anyTest as TestFn<IntegrityBench>;

test.beforeEach(async (t) => {
  t.context = await openIntegrityBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

/** A document in the trash and an earlier version; no other row refers to the bytes of either. */
const givenBoth = async ({ store, database }: IntegrityBench): Promise<{ sha256: string; bytes: Buffer; id: string }[]> => {
  const [trashed, earlier, newest] = [await store(), await store(), await store()];
  await moveFileToTrash(database, trashed.id);
  await moveFileToVersion(database, earlier.id, newest.id);
  return [trashed, { ...earlier, id: newest.id }];
};

test('bytes of an earlier version or of the trash are neither removed nor swept', async (t) => {
  const { db, storage } = t.context;
  const kept = await givenBoth(t.context);
  const then = new Date(Date.now() - 48 * 3_600_000);
  for (const { sha256 } of kept) {
    t.false(await removeStoredBytes({ db, storage }, sha256));
    await utimes(storage.pathOf(documentKey(sha256)), then, then);
  }
  t.is(await sweepOrphans({ db, storage, clock: systemClock }), 0);
  for (const { sha256 } of kept) t.not(await storage.stat(documentKey(sha256)), undefined);
  t.is(
    (
      await referencedHashes(
        db,
        kept.map(({ sha256 }) => sha256),
      )
    ).size,
    2,
  );
});

test('with all documents in the trash, orphans are swept and the folder counts as used', async (t) => {
  const { database, db, storage, store } = t.context;
  await moveFileToTrash(database, (await store()).id);
  const orphan = documentKey('a'.repeat(64));
  const { path } = await storage.put(orphan, Buffer.from('orphan'));
  const then = new Date(Date.now() - 48 * 3_600_000);
  await utimes(path, then, then);
  t.true(await hasLocalDocuments(db));
  t.is(await sweepOrphans({ db, storage, clock: systemClock }), 1);
  t.deepEqual(await readStoredSize(db), { documents: 0, bytes: 2_000 });
});

test('they are verified, and restored where they are lost', async (t) => {
  const { db, folder, storage, temp, lose, rows } = t.context;
  const kept = await givenBoth(t.context);
  const due = await findDueFiles(db, { now: new Date(), dueAfterMs: 1_000, periodMs: 10_000, limit: 10 });
  t.is(due.length, 3);
  t.deepEqual(await measureReferencedFiles(db), { files: 3, bytes: 6_000 });
  const listed = await listReferencedFiles(db, '', 10);
  for (const document of kept) {
    t.deepEqual(listed.find(({ sha256 }) => sha256 === document.sha256)?.documentIds, [document.id]);
    t.deepEqual(await listDocumentsOfBytes(db, document.sha256), [document.id]);
    await noteFileChecks({ db, alerts: ADMINISTRATORS }, [{ sha256: document.sha256, finding: 'missing', at: new Date() }]);
    await storage.put(orphanKey(document.sha256), document.bytes);
    await lose(document);
    t.not(await restoreFile({ db, storage, places: [storage], backupPath: `${folder}/backups`, temp }, document.sha256), undefined);
    t.is((await storage.stat(documentKey(document.sha256)))?.sizeBytes, document.bytes.length);
  }
  t.is((await rows('select from stored_file_checks where finding is not null')).length, 2);
});

test('they count as files of the storage that they are in', async (t) => {
  const { db, storage } = t.context;
  const kept = await givenBoth(t.context);
  t.is((await listBytesAt(db, 'local', '', 10)).length, 3);
  t.deepEqual(await countBytesAt(db, 'local'), { files: 3, bytes: 6_000 });
  const paths = await findPathsOfBytes(
    db,
    kept.map(({ sha256 }) => sha256),
  );
  for (const { sha256 } of kept) t.deepEqual(paths.get(sha256), [storage.pathOf(documentKey(sha256))]);
});
