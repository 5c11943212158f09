import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkStoredFile, type RestoreFileDeps, restoreFile } from '@sheaf/ingest/integrity';
import { documentKey, JoinedStorage, LocalStorage, orphanKey } from '@sheaf/storage';
import anyTest, { type TestFn } from 'ava';
import { type IntegrityBench, makeUnreadable, openIntegrityBench, type StoredDocument } from './integrity-fixture.ts';

const test = anyTest as TestFn<IntegrityBench>;

test.beforeEach(async (t) => {
  t.context = await openIntegrityBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const depsOf = ({ db, storage, folder, temp }: IntegrityBench, changes: Partial<RestoreFileDeps> = {}): RestoreFileDeps => ({
  db,
  storage,
  places: [storage],
  backupPath: join(folder, 'backups'),
  temp,
  ...changes,
});

/** Puts a copy of the document, or other bytes in its name, into a backup. */
const givenInBackup = async ({ folder }: IntegrityBench, entry: string, { sha256, bytes }: StoredDocument): Promise<string> => {
  const path = join(folder, 'backups', entry, 'files', sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  return path;
};

const wrong = (document: StoredDocument): StoredDocument => ({ ...document, bytes: Buffer.alloc(document.bytes.length) });

test('a lost file comes back from the newest backup whose copy has its hash', async (t) => {
  const { storage, store, lose } = t.context;
  const document = await store();
  await lose(document);
  const oldest = await givenInBackup(t.context, 'sheaf-20260101T000000Z-aa', document);
  const right = await givenInBackup(t.context, 'sheaf-20260201T000000Z-bb', document);
  await givenInBackup(t.context, 'sheaf-20260301T000000Z-cc', wrong(document));
  await givenInBackup(t.context, '.incomplete-sheaf-20260401T000000Z-dd', document);
  t.is(await restoreFile(depsOf(t.context), document.sha256), right);
  t.is(await checkStoredFile(storage, document.sha256), 'ok');
  await rm(join(t.context.folder, 'backups/sheaf-20260201T000000Z-bb'), { recursive: true });
  await lose(document);
  t.is(await restoreFile(depsOf(t.context), document.sha256), oldest);
});

test('a backup that was never finished is not looked into', async (t) => {
  const { store, lose } = t.context;
  const document = await store();
  await lose(document);
  await givenInBackup(t.context, '.incomplete-sheaf-20260401T000000Z-dd', document);
  await t.throwsAsync(restoreFile(depsOf(t.context), document.sha256), { message: /no valid copy/ });
});

test('what comes from a backup is a copy: the backup stays as it is whatever happens to the file', async (t) => {
  const { storage, store, lose } = t.context;
  const document = await store();
  await lose(document);
  const path = await givenInBackup(t.context, 'sheaf-20260101T000000Z-aa', document);
  await restoreFile(depsOf(t.context), document.sha256);
  t.not((await stat(storage.pathOf(documentKey(document.sha256)))).ino, (await stat(path)).ino);
  t.deepEqual(await readFile(path), document.bytes);
});

test('a damaged file of the same size is replaced by what was set aside', async (t) => {
  const { storage, store, spoil } = t.context;
  const document = await store();
  await spoil(document);
  await storage.put(orphanKey(document.sha256), document.bytes);
  t.is(await restoreFile(depsOf(t.context), document.sha256), storage.pathOf(orphanKey(document.sha256)));
  t.deepEqual(await readFile(storage.pathOf(documentKey(document.sha256))), document.bytes);
});

test('a file is restored from another storage, and its row says where it is', async (t) => {
  const { db, folder, storage, store, lose, rows } = t.context;
  const other = new LocalStorage({ path: join(folder, 'other'), thumbnailPath: join(folder, 'other/thumbnails') });
  const document = await store();
  await storage.put(orphanKey(document.sha256), document.bytes);
  await lose(document);
  const joined = new JoinedStorage(other, [{ storage, isInUse: async () => true }]);
  await restoreFile(depsOf(t.context, { storage: joined, places: [other, storage] }), document.sha256);
  t.is(await checkStoredFile(joined, document.sha256), 'ok');
  t.deepEqual(await rows('select file_path from documents'), [{ file_path: other.pathOf(documentKey(document.sha256)) }]);
  t.truthy(db);
});

test('a damaged file of the first storage is replaced by the right one of the second, where it is', async (t) => {
  const { folder, storage, store, spoil, rows } = t.context;
  const other = new LocalStorage({ path: join(folder, 'other'), thumbnailPath: join(folder, 'other/thumbnails') });
  const document = await store();
  await other.put(documentKey(document.sha256), document.bytes);
  await spoil(document);
  const joined = new JoinedStorage(storage, [{ storage: other, isInUse: async () => true }]);
  await restoreFile(depsOf(t.context, { storage: joined, places: [storage, other] }), document.sha256);
  t.is(await checkStoredFile(storage, document.sha256), 'ok');
  t.deepEqual(await rows('select file_path from documents'), [{ file_path: storage.pathOf(documentKey(document.sha256)) }]);
});

test('a copy with another hash is never put in the place of anything', async (t) => {
  const { storage, store, spoil, temp } = t.context;
  const document = await store();
  await spoil(document);
  const spoilt = await readFile(storage.pathOf(documentKey(document.sha256)));
  await givenInBackup(t.context, 'sheaf-20260101T000000Z-aa', wrong(document));
  await t.throwsAsync(restoreFile(depsOf(t.context), document.sha256), { message: /no valid copy in .*another backup/ });
  t.deepEqual(await readFile(storage.pathOf(documentKey(document.sha256))), spoilt);
  t.deepEqual(await readdir(temp.path), []);
});

test('a file that is right by now is skipped', async (t) => {
  const { storage, store } = t.context;
  const document = await store();
  const before = await stat(storage.pathOf(documentKey(document.sha256)));
  t.is(await restoreFile(depsOf(t.context), document.sha256), undefined);
  t.is((await stat(storage.pathOf(documentKey(document.sha256)))).ino, before.ino);
});

test('nothing is restored for a document that is gone', async (t) => {
  const { storage, store, lose, rows } = t.context;
  const document = await store();
  await lose(document);
  await givenInBackup(t.context, 'sheaf-20260101T000000Z-aa', document);
  await rows('delete from documents');
  t.is(await restoreFile(depsOf(t.context), document.sha256), undefined);
  t.is(await storage.stat(documentKey(document.sha256)), undefined);
});

test('a copy that cannot be read does not hide the next one', async (t) => {
  const { storage, store } = t.context;
  const document = await store();
  await storage.put(orphanKey(document.sha256), document.bytes);
  await makeUnreadable(storage, document.sha256);
  await rm(storage.pathOf(documentKey(document.sha256)), { recursive: true });
  await t.notThrowsAsync(restoreFile(depsOf(t.context), document.sha256));
  t.is(await checkStoredFile(storage, document.sha256), 'ok');
});

test('where backups are archives it is said that they have to be unpacked', async (t) => {
  const { store, lose, folder } = t.context;
  const document = await store();
  await lose(document);
  await mkdir(join(folder, 'backups'));
  await writeFile(join(folder, 'backups/sheaf-20260101T000000Z-aa.tar'), '');
  await t.throwsAsync(restoreFile(depsOf(t.context), document.sha256), { message: /unpack/ });
});
