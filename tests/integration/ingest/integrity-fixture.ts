import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtempDisposable, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { documentKey, LocalStorage, type Storage, TempArea } from '@sheaf/storage';
import { givenDocument, givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';

export interface StoredDocument {
  readonly id: string;
  readonly sha256: string;
  readonly bytes: Buffer;
}

/** Documents with their bytes in a folder, in a database of its own. */
export interface IntegrityBench extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly db: Db;
  readonly owner: User;
  readonly folder: string;
  readonly storage: LocalStorage;
  readonly temp: TempArea;
  /** A document that was read to its end, with as many pages as it says. */
  readonly store: (fields?: Partial<Parameters<typeof givenDocument>[1]> & { bytes?: Buffer; pages?: number }) => Promise<StoredDocument>;
  /** Puts other bytes of the same length in the place of the stored ones. */
  readonly spoil: (document: StoredDocument) => Promise<void>;
  readonly lose: (document: StoredDocument) => Promise<void>;
  readonly rows: (statement: string, ...values: readonly unknown[]) => Promise<Record<string, unknown>[]>;
}

export const openIntegrityBench = async (): Promise<IntegrityBench> => {
  const database = await openTestDatabase();
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-integrity-'));
  const storage = new LocalStorage({ path: join(folder.path, 'uploads'), thumbnailPath: join(folder.path, 'uploads/thumbnails') });
  const owner = await givenUser(database.db, { role: 'admin' });
  const rows = async (statement: string, ...values: readonly unknown[]) => (await database.pool.query(statement, [...values])).rows;
  return {
    database,
    db: database.db,
    owner,
    folder: folder.path,
    storage,
    temp: new TempArea(join(folder.path, 'temp')),
    rows,
    store: async ({ bytes = randomBytes(2_000), pages = 1, ...fields } = {}) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const { path } = await storage.put(documentKey(sha256), bytes);
      const { id } = await givenDocument(database.db, {
        ownerId: owner.id,
        sha256,
        sizeBytes: bytes.length,
        filePath: path,
        ...fields,
      });
      await rows(`update documents set status = 'completed', page_count = $2 where id = $1`, id, pages);
      await rows(
        `insert into document_pages (document_id, page, content, confidence, origin) select $1, n, 'words', 1, 'text' from generate_series(1, $2::int) as n`,
        id,
        pages,
      );
      return { id, sha256, bytes };
    },
    spoil: async ({ sha256, bytes }) => {
      const spoilt = Buffer.from(bytes);
      spoilt[0] = (spoilt[0] ?? 0) ^ 1;
      await writeFile(storage.pathOf(documentKey(sha256)), spoilt);
    },
    lose: ({ sha256 }) => rm(storage.pathOf(documentKey(sha256))),
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
};

/** A path that is a folder where a file should be: it is there, and cannot be read, whoever asks. */
export const makeUnreadable = async (storage: Storage, sha256: string): Promise<void> => {
  const path = storage.pathOf(documentKey(sha256));
  await rm(path, { recursive: true, force: true });
  await mkdir(path);
};
