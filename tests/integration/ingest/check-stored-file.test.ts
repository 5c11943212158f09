import { rename, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { AppError } from '@sheaf/contract';
import { checkStoredFile, lookTwice, peek } from '@sheaf/ingest/integrity';
import { documentKey, previewKey } from '@sheaf/storage';
import anyTest, { type TestFn } from 'ava';
import { changedStorage } from '../../support/changed-storage.ts';
import { type IntegrityBench, makeUnreadable, openIntegrityBench } from './integrity-fixture.ts';

const test = anyTest as TestFn<IntegrityBench>;

test.beforeEach(async (t) => {
  t.context = await openIntegrityBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const away = () => new AppError('SERVICE_UNAVAILABLE', 'away');

test('a stored file is right, missing, changed, cut off or unreadable', async (t) => {
  const { storage, store, spoil, lose } = t.context;
  const [right, missing, changed, cut, unreadable] = [await store(), await store(), await store(), await store(), await store()];
  await lose(missing);
  await spoil(changed);
  await truncate(storage.pathOf(documentKey(cut.sha256)), 10);
  await makeUnreadable(storage, unreadable.sha256);
  const states = [];
  for (const { sha256 } of [right, missing, changed, cut, unreadable]) states.push(await checkStoredFile(storage, sha256));
  t.deepEqual(states, ['ok', 'missing', 'changed', 'changed', 'unreadable']);
});

test('nothing is said of a file whose storage is away', async (t) => {
  const { folder, storage, store } = t.context;
  const { sha256 } = await store();
  await rename(join(folder, 'uploads'), join(folder, 'elsewhere'));
  await t.throwsAsync(checkStoredFile(storage, sha256), { code: 'SERVICE_UNAVAILABLE' });
  await rename(join(folder, 'elsewhere'), join(folder, 'uploads'));
  t.is(await checkStoredFile(storage, sha256), 'ok');
});

test('an error of a storage that works otherwise is one of the file', async (t) => {
  const { storage, store } = t.context;
  const { sha256 } = await store();
  const broken = changedStorage(storage, { open: () => Promise.reject(away()) });
  t.is(await checkStoredFile(broken, sha256), 'unreadable');
  const sick = changedStorage(broken, { check: async () => ({ status: 'warning', message: 'the other storage is away' }) });
  await t.throwsAsync(checkStoredFile(sick, sha256), { code: 'SERVICE_UNAVAILABLE' });
});

test('a file whose bytes end in an error is unreadable, and one that its storage finds damaged is changed', async (t) => {
  const { storage, store } = t.context;
  const { sha256 } = await store();
  const opens = (error: Error) =>
    changedStorage(storage, {
      open: async () => ({
        stream: Readable.from(
          (async function* () {
            yield Buffer.alloc(10);
            throw error;
          })(),
        ),
        sizeBytes: 20,
      }),
    });
  t.is(await checkStoredFile(opens(Object.assign(new Error('bad sector'), { code: 'EIO' })), sha256), 'unreadable');
  t.is(await checkStoredFile(opens(new AppError('NOT_FOUND', 'damaged', { code: 'FILE_DAMAGED' })), sha256), 'changed');
  await t.throwsAsync(checkStoredFile(opens(new TypeError('a mistake of ours')), sha256), { instanceOf: TypeError });
});

test('a reading that is to stop ends with an error and gives its file back', async (t) => {
  const { storage, store } = t.context;
  const { sha256 } = await store({ bytes: Buffer.alloc(2_000_000) });
  const abort = new AbortController();
  let stream: Readable | undefined;
  const watched = changedStorage(storage, {
    open: async (key) => {
      const opened = await storage.open(key);
      ({ stream } = opened);
      return opened;
    },
  });
  await t.throwsAsync(checkStoredFile(watched, sha256, { signal: abort.signal, onBytes: () => abort.abort() }), { name: 'AbortError' });
  t.true(stream?.destroyed);
});

test('what is wrong only once is no finding', async (t) => {
  const { db, storage, store } = t.context;
  const { sha256 } = await store();
  let opened = 0;
  const flaky = changedStorage(storage, {
    open: (key) => {
      opened += 1;
      if (opened === 1) return Promise.reject(new AppError('NOT_FOUND', 'missing', { code: 'FILE_MISSING' }));
      return storage.open(key);
    },
  });
  t.is(await lookTwice({ db, storage: flaky }, sha256, { pauseMs: 0 }), 'ok');
  t.is(opened, 2);
});

test('the bytes of a document that was deleted meanwhile are not missed', async (t) => {
  const { db, storage, store, lose, rows } = t.context;
  const document = await store();
  await rows('delete from documents');
  await lose(document);
  t.is(await lookTwice({ db, storage }, document.sha256, { pauseMs: 0 }), 'unreferenced');
});

test('bytes that are moved from storage to storage while they are looked for are not missed', async (t) => {
  const { db, storage, store } = t.context;
  const { sha256 } = await store();
  let opened = 0;
  const passing = changedStorage(storage, {
    open: (key) => {
      opened += 1;
      if (opened <= 2) return Promise.reject(new AppError('NOT_FOUND', 'missing', { code: 'FILE_MISSING' }));
      return storage.open(key);
    },
  });
  t.is(await lookTwice({ db, storage: passing }, sha256, { pauseMs: 0 }), 'ok');
});

test('a peek gives the bytes of a range, or why there are none', async (t) => {
  const { storage } = t.context;
  const key = previewKey('ab'.repeat(32));
  t.is(await peek(storage, key, { start: 0, end: 4 }), 'missing');
  await storage.put(key, Buffer.from('%PDF-1.7'));
  t.deepEqual(await peek(storage, key, { start: 0, end: 4 }), Buffer.from('%PDF-'));
  await rm(storage.pathOf(key));
  t.is(await peek(storage, key, { start: 0, end: 4 }), 'missing');
});
