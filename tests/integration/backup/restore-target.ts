import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackupReader, type RestoreDeps, type RestoreResult, restoreBackup } from '@sheaf/backup';
import { silentLogger } from '@sheaf/process';
import { documentKey, LocalStorage, type Storage } from '@sheaf/storage';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import { changedStorage } from '../../support/changed-storage.ts';
import { hashOf } from './library.ts';

/** Another instance, with a database and a storage of its own, for a test to restore into. */
export interface RestoreTarget extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly storage: Storage;
  readonly folder: string;
  readonly restore: (backup: BackupReader, options?: { isForced?: boolean } & Partial<RestoreDeps>) => Promise<RestoreResult>;
  /** The hash of the bytes that are stored for a document's hash; undefined where there are none. */
  readonly storedHash: (sha256: string) => Promise<string | undefined>;
}

export const openRestoreTarget = async ({
  storage: given,
  isEmpty = false,
}: {
  readonly storage?: Storage;
  /** Without any table. */
  readonly isEmpty?: boolean;
} = {}): Promise<RestoreTarget> => {
  const [database, folder] = await Promise.all([openTestDatabase({ empty: isEmpty }), mkdtemp(join(tmpdir(), 'sheaf-restore-'))]);
  const path = join(folder, 'uploads');
  const storage = given ?? new LocalStorage({ path, thumbnailPath: join(path, 'thumbnails') });
  return {
    database,
    storage,
    folder,
    restore: (backup, { isForced = false, ...deps } = {}) =>
      restoreBackup(
        backup,
        {
          databaseUrl: database.url,
          storage,
          log: silentLogger(),
          signal: new AbortController().signal,
          report: { begin: () => {}, advance: () => {} },
          ...deps,
        },
        { isForced, parallel: 2 },
      ),
    storedHash: async (sha256) => {
      if ((await storage.stat(documentKey(sha256))) === undefined) return undefined;
      const { stream } = await storage.open(documentKey(sha256));
      return hashOf(Buffer.concat(await stream.toArray()));
    },
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** The same storage, which waits for `work` before it stores anything. */
export const beforePut = (storage: Storage, work: () => Promise<void>): Storage =>
  changedStorage(storage, {
    put: async (...args) => {
      await work();
      return storage.put(...args);
    },
  });
