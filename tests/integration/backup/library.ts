import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type BackupDeps, type BackupOptions, type BackupResult, makeBackup } from '@sheaf/backup';
import type { Document, User } from '@sheaf/db/schema';
import { systemClock } from '@sheaf/process';
import { documentKey, LocalStorage, previewKey, type Storage } from '@sheaf/storage';
import { givenDocument, givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';

/** A database with a storage and a folder for backups, to be filled and backed up by a test. */
export interface BackedUpLibrary extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly storage: Storage;
  /** All of it is below this. */
  readonly folder: string;
  readonly backups: string;
  readonly owner: User;
  /** A document with these bytes behind it. */
  add(bytes: string | Buffer, fields?: { readonly mimeType?: string; readonly preview?: string }): Promise<Document>;
  backup(
    options?: Partial<BackupOptions>,
    deps?: Partial<Pick<BackupDeps, 'databaseUrl' | 'storage' | 'signal' | 'report'>>,
  ): Promise<BackupResult>;
}

export const hashOf = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

export const WORD = 'application/msword';

export const openBackedUpLibrary = async ({ storage: given }: { readonly storage?: Storage } = {}): Promise<BackedUpLibrary> => {
  const [database, folder] = await Promise.all([openTestDatabase(), mkdtemp(join(tmpdir(), 'sheaf-backup-'))]);
  const path = join(folder, 'uploads');
  const storage = given ?? new LocalStorage({ path, thumbnailPath: join(path, 'thumbnails') });
  const owner = await givenUser(database.db, { role: 'admin' });
  const backups = join(folder, 'backups');
  return {
    database,
    storage,
    folder,
    backups,
    owner,
    add: async (content, { mimeType = 'text/plain', preview } = {}) => {
      const bytes = Buffer.from(content);
      const sha256 = hashOf(bytes);
      const { path: filePath } = await storage.put(documentKey(sha256), bytes);
      if (preview !== undefined) await storage.put(previewKey(sha256), Buffer.from(preview));
      return await givenDocument(database.db, { ownerId: owner.id, sha256, sizeBytes: bytes.length, filePath, mimeType });
    },
    backup: (options = {}, deps = {}) =>
      makeBackup(
        {
          databaseUrl: deps.databaseUrl ?? database.url,
          storage: deps.storage ?? storage,
          serviceVersion: '1.2.3',
          clock: systemClock,
          signal: deps.signal ?? new AbortController().signal,
          report: deps.report ?? { begin: () => {}, advance: () => {} },
        },
        { folder: backups, isArchive: false, isFull: false, keep: undefined, configuration: { hasSecrets: false, files: [] }, ...options },
      ),
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Writes a file as somebody would who damages a storage. */
export const writeOver = async (path: string, bytes: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { force: true });
  await writeFile(path, bytes);
};
