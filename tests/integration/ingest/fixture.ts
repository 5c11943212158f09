import { mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Db } from '@sheaf/db';
import type { Document, User } from '@sheaf/db/schema';
import { type IncomingFile, type IngestDeps, type IngestResult, ingest } from '@sheaf/ingest';
import { constant } from '@sheaf/process';
import { LocalStorage, type Storage, TempArea } from '@sheaf/storage';
import { givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import { TOLD_HERE } from '../../support/notification-policies.ts';
import { typeCheck } from '../../support/type-check.ts';

/** Storage, temporary folder and an owner in a database of its own. */
export interface IngestBench extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly db: Db;
  readonly owner: User;
  readonly folder: string;
  readonly deps: IngestDeps & { readonly storage: LocalStorage };
  /** Takes in a file of this owner; `body` is its text, its bytes or a stream. */
  readonly take: (body: string | Buffer | Readable, file?: Partial<IncomingFile>, deps?: Partial<IngestDeps>) => Promise<IngestResult>;
  /** Rows of a statement with $1, $2 in it. */
  readonly rows: (statement: string, ...values: readonly unknown[]) => Promise<unknown[]>;
  /** How many rows there are in `from`, a table with its conditions. */
  readonly count: (from: string, ...values: readonly unknown[]) => Promise<number>;
  /** The names of files left behind in the temporary folder. */
  readonly leftovers: () => Promise<string[]>;
  /** Keys of the stored documents. */
  readonly stored: () => Promise<string[]>;
}

export const openIngestBench = async (): Promise<IngestBench> => {
  const database = await openTestDatabase();
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-ingest-'));
  const storage = new LocalStorage({ path: join(folder.path, 'store'), thumbnailPath: join(folder.path, 'thumbnails') });
  const temp = new TempArea(join(folder.path, 'temp'));
  const deps = {
    db: database.db,
    storage,
    temp,
    settings: constant({ maxAttempts: 4, defaultLanguage: 'eng', notifications: TOLD_HERE, versionsKeep: 0 }),
    typeCheck,
  };
  const owner = await givenUser(database.db, { role: 'editor' });
  return {
    database,
    db: database.db,
    owner,
    folder: folder.path,
    deps,
    take: (body, file = {}, otherDeps = {}) =>
      ingest(
        {
          route: 'upload',
          filename: 'note.txt',
          ledgerPath: file.filename ?? 'note.txt',
          ownerId: owner.id,
          maxBytes: 1024 * 1024,
          allowedExtensions: ['txt', 'pdf', 'doc', 'rtf'],
          body: body instanceof Readable ? body : Readable.from([Buffer.from(body)]),
          ...file,
        },
        { ...deps, ...otherDeps },
      ),
    rows: async (statement, ...values) => (await database.pool.query(statement, [...values])).rows,
    count: async (from, ...values) => Number((await database.pool.query(`select count(*) as n from ${from}`, [...values])).rows[0].n),
    leftovers: () => readdir(temp.path).catch(() => []),
    stored: () => listKeys(storage),
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
};

/** The document of a result that must be one. */
export const documentOf = (result: IngestResult): Document => {
  if (result.outcome !== 'ingested') throw new Error(`not ingested but ${result.outcome}`);
  return result.document;
};

const listKeys = async (storage: Storage): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of storage.list('documents/')) keys.push(key);
  return keys;
};
