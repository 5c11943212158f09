import { createHash, randomBytes } from 'node:crypto';
import { mkdtempDisposable, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTransfer, Tally, type Transfer, type VerifyMode } from '@sheaf/cli/testing';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { documentKey, LocalStorage, previewKey, type Storage, TempArea, thumbnailKey } from '@sheaf/storage';
import { givenDocument, givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import { sql } from 'drizzle-orm';
import { asRemote } from '../../fixtures/cli/remote-folder.ts';

/** A document with its file in one of the two storages. */
export interface GivenFile {
  readonly sha256: string;
  readonly bytes: Buffer;
  readonly key: string;
  readonly ids: readonly string[];
}

interface GivenOptions {
  readonly bytes?: Buffer;
  readonly in?: Storage;
  readonly owners?: number;
  readonly withDerived?: boolean;
}

export interface Outcome {
  readonly stopped: string | undefined;
  readonly tally: Tally;
  /** What people were told, with --verbose. */
  readonly lines: readonly string[];
}

/** Two storages in folders, one of which passes for a remote one, and a database of its own. */
export interface TransferBench extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly db: Db;
  readonly folder: string;
  readonly local: LocalStorage;
  readonly remote: Storage;
  readonly given: (options?: GivenOptions) => Promise<GivenFile>;
  readonly run: (changes?: Partial<Transfer>, verify?: VerifyMode) => Promise<Outcome>;
  /** Paths of the documents, sorted. */
  readonly paths: () => Promise<string[]>;
  /** Keys of everything in a storage. */
  readonly keysIn: (storage: Storage) => Promise<string[]>;
  /** Writes other bytes of the same length over a stored file. */
  readonly spoil: (storage: 'local' | 'remote', key: string) => Promise<void>;
  /** Names left in the temporary folder. */
  readonly leftovers: () => Promise<string[]>;
}

const derivedKeys = (sha256: string): string[] => [
  previewKey(sha256),
  thumbnailKey(sha256, '200x200.webp'),
  thumbnailKey(sha256, '400x400.png'),
];

const listAll = async (storage: Storage): Promise<string[]> => {
  const keys: string[] = [];
  for (const prefix of ['documents/', 'previews/', 'thumbnails/']) for await (const { key } of storage.list(prefix)) keys.push(key);
  return keys.toSorted();
};

export const openTransferBench = async (): Promise<TransferBench> => {
  const resources = new AsyncDisposableStack();
  const database = resources.use(await openTestDatabase());
  const { db } = database;
  const made = await mkdtempDisposable(join(tmpdir(), 'sheaf-transfer-'));
  resources.defer(() => made.remove());
  const folder = made.path;
  const local = new LocalStorage({ path: join(folder, 'local'), thumbnailPath: join(folder, 'local-thumbnails') });
  const remote = asRemote(join(folder, 'remote'));
  const temp = new TempArea(join(folder, 'temp'));
  const owners: User[] = [];
  const owner = async (i: number): Promise<User> => (owners[i] ??= await givenUser(db, { role: 'editor' }));
  return {
    database,
    db,
    folder,
    local,
    remote,
    given: async ({ bytes = randomBytes(2_000), in: storage = local, owners: count = 1, withDerived = false } = {}) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const key = documentKey(sha256);
      const { path: filePath } = await storage.put(key, bytes);
      if (withDerived) for (const derived of derivedKeys(sha256)) await storage.put(derived, Buffer.from(`made from ${derived}`));
      const ids: string[] = [];
      for (let i = 0; i < count; i += 1) {
        const { id } = await givenDocument(db, { ownerId: (await owner(i)).id, sha256, filePath, sizeBytes: bytes.length });
        ids.push(id);
      }
      return { sha256, bytes, key, ids };
    },
    run: async (changes = {}, verify) => {
      const lines: string[] = [];
      const tally = new Tally();
      const note = (text: string): unknown => lines.push(text);
      const transfer: Transfer = {
        db,
        source: { place: 'local', storage: local },
        target: { place: 's3', storage: remote },
        temp,
        batchSize: 3,
        parallel: 2,
        keepsOldCopies: false,
        tally,
        report: { begin: () => {}, advance: () => {}, line: note, detail: note },
        signal: new AbortController().signal,
        mayGoOn: async () => {},
        ...changes,
      };
      return { stopped: await runTransfer(transfer, verify), tally, lines };
    },
    paths: async () =>
      (await db.execute<{ file_path: string }>(sql`select file_path from documents order by file_path`)).rows.map((row) => row.file_path),
    keysIn: listAll,
    spoil: async (storage, key) => {
      const path = join(folder, storage, key);
      await rm(path); // it may be shared by a link
      const size = 2_000;
      await writeFile(path, randomBytes(size));
    },
    leftovers: () => readdir(temp.path).catch(() => []),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
