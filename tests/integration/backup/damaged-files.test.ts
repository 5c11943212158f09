import { Readable } from 'node:stream';
import { openBackup } from '@sheaf/backup';
import { AppError, serviceUnavailable } from '@sheaf/contract';
import { documentKey, type Storage } from '@sheaf/storage';
import test from 'ava';
import { hashOf, openBackedUpLibrary, writeOver } from './library.ts';

/** The storage with another `open`. */
const withOpen = (storage: Storage, open: Storage['open'], check: Storage['check'] = () => storage.check()): Storage =>
  new Proxy(storage, {
    get: (target, name) => {
      if (name === 'open') return open;
      if (name === 'check') return check;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

test('a file that is missing or damaged stands in the manifest with its documents, and the rest is kept', async (t) => {
  await using library = await openBackedUpLibrary();
  const missing = await library.add('missing');
  const changed = await library.add('changed');
  await library.add('good');
  await library.storage.delete(documentKey(missing.sha256));
  await writeOver(library.storage.pathOf(documentKey(changed.sha256)), 'chained');
  const { manifest, path } = await library.backup();
  t.deepEqual(
    manifest.files.missing.toSorted((a, b) => (a.reason < b.reason ? -1 : 1)),
    [
      { sha256: changed.sha256, document_ids: [changed.id], reason: 'changed' },
      { sha256: missing.sha256, document_ids: [missing.id], reason: 'missing' },
    ],
  );
  t.is(manifest.files.count, 1);
  await using backup = await openBackup(path);
  t.deepEqual(await backup.verifyChecksums(), []);
});

test('what the storage has lost since is taken from an older backup that has it right', async (t) => {
  await using library = await openBackedUpLibrary();
  const { sha256 } = await library.add('a letter');
  await library.backup();
  await writeOver(library.storage.pathOf(documentKey(sha256)), 'a lettuc');
  const { manifest, files, path } = await library.backup({ isFull: true });
  t.like(files, { rescued: 1, copied: 0 });
  t.deepEqual(manifest.files.missing, []);
  await using backup = await openBackup(path);
  t.deepEqual(await backup.verifyChecksums(), []);
});

test('one file that cannot be read is told, and a storage that cannot be read ends the backup', async (t) => {
  await using library = await openBackedUpLibrary();
  const { sha256, id } = await library.add('a letter');
  await library.add('a note');
  const broken: Storage['open'] = async (key, range) => {
    if (key !== documentKey(sha256)) return library.storage.open(key, range);
    const stream = new Readable({ read: () => stream.destroy(Object.assign(new Error('input/output error'), { code: 'EIO' })) });
    return { stream, sizeBytes: 8 };
  };
  const { manifest } = await library.backup({}, { storage: withOpen(library.storage, broken) });
  t.deepEqual(manifest.files.missing, [{ sha256, document_ids: [id], reason: 'unreadable' }]);

  const away = (): Promise<never> => Promise.reject(serviceUnavailable('The storage is away'));
  const storage = withOpen(library.storage, away, async () => ({ status: 'unhealthy', message: 'away' }));
  const error = await t.throwsAsync(library.backup({ isFull: true }, { storage }), { instanceOf: AppError });
  t.is(error.message, 'The storage is away');
});

test('a file that is moved to another storage just now is found there when it is asked for again', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a letter');
  let asked = 0;
  const moved: Storage['open'] = (key, range) => {
    asked += 1;
    return asked === 1 ? Promise.reject(new AppError('NOT_FOUND', 'gone', { code: 'FILE_MISSING' })) : library.storage.open(key, range);
  };
  const { manifest } = await library.backup({}, { storage: withOpen(library.storage, moved) });
  t.deepEqual(manifest.files.missing, []);
  t.is(manifest.files.count, 1);
});

test('a row that tells another length than its bytes have does not spoil the list', async (t) => {
  await using library = await openBackedUpLibrary();
  const { sha256 } = await library.add('a letter');
  await library.database.pool.query('update documents set size_bytes = 3');
  const { manifest, path } = await library.backup();
  t.is(manifest.files.bytes, 8);
  await using backup = await openBackup(path);
  t.deepEqual(await backup.verifyChecksums(), []);
  t.is(sha256, hashOf('a letter'));
});
