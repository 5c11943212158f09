import { openBackup } from '@sheaf/backup';
import { Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { deleteDocument } from '@sheaf/documents';
import { removeStoredBytes, sweepOrphans } from '@sheaf/ingest';
import { FatalError } from '@sheaf/process';
import { documentKey, openOneStorage, type Storage } from '@sheaf/storage';
import test from 'ava';
import { openS3Server } from '../../support/s3-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type BackedUpLibrary, openBackedUpLibrary, WORD } from './library.ts';

/** The storage, which does `work` before it opens the first object. */
const beforeFirstOpen = (storage: Storage, work: () => Promise<void>): Storage => {
  let isDone: Promise<void> | undefined;
  return new Proxy(storage, {
    get: (target, name) => {
      if (name === 'open')
        return async (...args: Parameters<Storage['open']>) => {
          await (isDone ??= work());
          return target.open(...args);
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
};

const remove = async ({ database, storage }: BackedUpLibrary, id: string, sha256: string): Promise<boolean> => {
  await deleteDocument(database.db, id);
  return await removeStoredBytes({ db: database.db, storage }, sha256);
};

test('documents that are added and deleted meanwhile change nothing: every row of the snapshot has its bytes', async (t) => {
  await using library = await openBackedUpLibrary();
  const going = await library.add('to be deleted');
  await library.add('to stay');
  const storage = beforeFirstOpen(library.storage, async () => {
    await library.add('added');
    t.false(await remove(library, going.id, going.sha256), 'the bytes stay while the backup runs');
  });
  const { manifest, path } = await library.backup({}, { storage });
  t.like(manifest.files, { count: 2, missing: [] });
  t.is(manifest.database.tables.find(({ name }) => name === 'documents')?.rows, 2);
  await using backup = await openBackup(path);
  t.deepEqual(await backup.verifyChecksums(), []);
  const clock = { now: () => new Date(Date.now() + 3 * 24 * 3_600_000) };
  t.is(await sweepOrphans({ db: library.database.db, storage: library.storage, clock }), 1, 'the sweep finds them later');
});

test('the sweep removes nothing while a backup runs', async (t) => {
  await using library = await openBackedUpLibrary();
  const going = await library.add('to be deleted');
  await library.add('to stay');
  const clock = { now: () => new Date(Date.now() + 3 * 24 * 3_600_000) };
  const storage = beforeFirstOpen(library.storage, async () => {
    await deleteDocument(library.database.db, going.id);
    t.is(await sweepOrphans({ db: library.database.db, storage: library.storage, clock }), 0);
  });
  const { manifest } = await library.backup({}, { storage });
  t.deepEqual(manifest.files.missing, []);
});

const isLocked = async ({ database }: BackedUpLibrary, isGranted: boolean): Promise<boolean> => {
  const { rows } = await database.pool.query(
    `select 1 from pg_locks where locktype = 'advisory' and classid = $1 and objid = 1 and granted = $2
      and database = (select oid from pg_database where datname = current_database())`,
    [0x73_68_6b, isGranted],
  );
  return rows.length > 0;
};

test('a backup waits for those who are removing bytes when it begins', async (t) => {
  await using library = await openBackedUpLibrary();
  const going = await library.add('to be deleted');
  await deleteDocument(library.database.db, going.id);
  let goOn: () => void = () => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const slow = new Proxy(library.storage, {
    get: (target, name) => {
      if (name === 'delete') return async (key: string) => (await held, target.delete(key));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const removing = removeStoredBytes({ db: library.database.db, storage: slow }, going.sha256);
  const waitForLock = (isGranted: boolean): Promise<boolean> =>
    waitFor(() => isLocked(library, isGranted), { description: `the lock, granted: ${isGranted}`, limitMs: 20_000 });
  try {
    await waitForLock(true);
    const backup = library.backup();
    await waitForLock(false);
    goOn();
    t.true(await removing);
    t.is((await backup).manifest.files.count, 0);
  } finally {
    goOn();
  }
});

test('a second backup of the same database is refused with the exit code for that', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a note');
  let second: unknown;
  const storage = beforeFirstOpen(library.storage, async () => {
    second = await library.backup().catch((error: unknown) => error);
  });
  await library.backup({}, { storage });
  t.true(second instanceof FatalError);
  t.like(second, { exitCode: 69, problem: { code: 'backup_running' } });
});

test('a backup whose database connection is lost ends and says so, and the next one goes on', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a note');
  const storage = beforeFirstOpen(library.storage, async () => {
    await library.database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sheaf backup' and datname = current_database()`,
    );
  });
  const error = await t.throwsAsync(library.backup({}, { storage }), { instanceOf: FatalError });
  t.deepEqual(error.problem, makeProblem('database_connection_lost', { operation: 'backup' }));
  t.like((await library.backup()).manifest.files, { count: 1 });
});

test('a backup that is stopped ends with what it was stopped by', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a note');
  const stop = new AbortController();
  const storage = beforeFirstOpen(library.storage, async () => stop.abort(new FatalError(makeProblem('backup_interrupted'))));
  const error = await t.throwsAsync(library.backup({}, { storage, signal: stop.signal }), { instanceOf: FatalError });
  t.is(error.message, makeProblem('backup_interrupted').message);
});

test('a backup that is stopped in the middle of a table does not wait for its rows', async (t) => {
  await using library = await openBackedUpLibrary();
  const stop = new AbortController();
  const report = { begin: () => {}, advance: () => stop.abort(new FatalError(makeProblem('backup_interrupted'))) };
  const error = await t.throwsAsync(library.backup({}, { report, signal: stop.signal }), { instanceOf: FatalError });
  t.is(error.message, makeProblem('backup_interrupted').message);
});

test('documents that are in S3 are backed up as those of a folder are', async (t) => {
  await using server = await openS3Server();
  await using local = await openBackedUpLibrary();
  const storage = await openOneStorage(
    's3',
    {
      type: 's3',
      path: local.folder,
      thumbnailPath: local.folder,
      tempPath: local.folder,
      azure: undefined,
      s3: {
        bucket: server.bucket,
        accessKeyId: 'S3RVER',
        secretAccessKey: new Secret('S3RVER'),
        region: 'us-east-1',
        endpointUrl: server.url,
        forcePathStyle: true,
        prefix: 'sheaf/',
        verifyCertificate: true,
        storageClass: 'STANDARD',
        encryption: undefined,
        kmsKeyId: undefined,
      },
    },
    { hasLocalDocuments: async () => false },
  );
  await using library = await openBackedUpLibrary({ storage });
  await library.add('a letter', { mimeType: WORD, preview: '%PDF-letter' });
  const gone = await library.add('gone');
  await storage.delete(documentKey(gone.sha256));
  const { manifest, path } = await library.backup();
  t.like(manifest, { files: { count: 1 }, previews: { count: 1 } });
  t.is(manifest.files.missing[0]?.reason, 'missing');
  await using backup = await openBackup(path);
  t.deepEqual(await backup.verifyChecksums(), []);
  t.like((await library.backup()).files, { linked: 1, copied: 0 });
  await storage.close();
});
