import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Db } from '@sheaf/db';
import type { IngestDeps } from '@sheaf/ingest';
import { silentLogger } from '@sheaf/runtime';
import { LocalStorage, TempArea } from '@sheaf/storage';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import { makeNamePatterns } from '../../../apps/watcher/src/name-patterns.ts';
import { Scanner, type ScannerSettings, type ScanReport } from '../../../apps/watcher/src/scanner.ts';

/** A watch folder with its scanner, in a database of its own. */
export interface WatchBench extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly db: Db;
  readonly watch: string;
  readonly folder: string;
  readonly ingest: IngestDeps;
  readonly makeScanner: (settings?: Partial<ScannerSettings>, ingest?: Partial<IngestDeps>) => Scanner;
  /** One scan by a scanner that remembers the scans before. */
  readonly scan: () => Promise<ScanReport>;
  readonly drop: (path: string, text: string | Buffer) => Promise<string>;
  /** `path state reason` of the ledger's rows, by path. */
  readonly ledger: () => Promise<string[]>;
  readonly titles: () => Promise<string[]>;
}

export const STABILITY_MS = 40;

export const openWatchBench = async (): Promise<WatchBench> => {
  const database = await openTestDatabase();
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-watch-'));
  const watch = join(folder.path, 'watch');
  const storage = new LocalStorage({ path: join(folder.path, 'store'), thumbnailPath: join(folder.path, 'thumbnails') });
  const temp = new TempArea(join(folder.path, 'temp'));
  const ingest = { db: database.db, storage, temp, settings: { maxAttempts: 4, defaultLanguage: 'eng' } };
  const clock = { now: () => new Date() };
  const makeScanner: WatchBench['makeScanner'] = (settings = {}, otherIngest = {}) =>
    new Scanner({
      settings: {
        route: 'watch',
        folder: watch,
        owner: undefined,
        recursive: true,
        stabilityMs: STABILITY_MS,
        rules: {
          patterns: makeNamePatterns({ patterns: ['*'], ignorePatterns: ['.*', '~*', '*.tmp'] }),
          allowedExtensions: ['txt', 'pdf'],
          maxBytes: 1024 * 1024,
          maxAgeMs: 24 * 3_600_000,
        },
        ...settings,
      },
      ingest: { ...ingest, ...otherIngest },
      clock,
      log: silentLogger(),
    });
  const scanner = makeScanner();
  await mkdir(watch);
  return {
    database,
    db: database.db,
    watch,
    folder: folder.path,
    ingest,
    makeScanner,
    scan: () => scanner.scan(new AbortController().signal),
    drop: async (path, text) => {
      const full = join(watch, path);
      await mkdir(dirname(full), { recursive: true });
      await writeFile(full, text);
      return full;
    },
    ledger: async () => {
      const { rows } = await database.pool.query('select path, state, reason from ingest_ledger order by path');
      return rows.map(({ path, state, reason }) => `${path} ${state}${reason === null ? '' : ` ${reason}`}`);
    },
    titles: async () => (await database.pool.query('select title from documents order by title')).rows.map(({ title }) => title),
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
};
