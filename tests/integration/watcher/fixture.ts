import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Db } from '@sheaf/db';
import { ImportAttempts, type IngestDeps } from '@sheaf/ingest';
import { constant, type Logger, silentLogger, sleep } from '@sheaf/process';
import { NO_TRACER, type Tracer } from '@sheaf/process/tracing';
import { LocalStorage, TempArea } from '@sheaf/storage';
import { makeNamePatterns } from '@sheaf/storage/folders';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import { FileMover, type FindRoots, makeGlobalRoot, Scanner, type ScannerSettings } from '@sheaf/watcher/testing';
import { TOLD_HERE } from '../../support/notification-policies.ts';
import { typeCheck } from '../../support/type-check.ts';

export interface BenchSettings extends Partial<ScannerSettings> {
  readonly tracer?: Tracer;
  readonly owner?: string;
  readonly findRoots?: FindRoots;
  /** Whether files that were imported are moved to `processed`. */
  readonly moves?: boolean;
  readonly log?: Logger;
}

/** A scanner that is driven by hand. */
export interface Scans {
  readonly scanner: Scanner;
  /** Looks at everything, and imports what is due as soon as it is. */
  readonly scan: (signal?: AbortSignal) => Promise<{ files: number; taken: number }>;
}

/** A watch folder with its scanner, in a database of its own. */
export interface WatchBench extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly db: Db;
  readonly watch: string;
  readonly folder: string;
  readonly ingest: IngestDeps;
  readonly processed: string;
  readonly makeScanner: (settings?: BenchSettings, ingest?: Partial<IngestDeps>) => Scans;
  /** One scan by a scanner that remembers the scans before. */
  readonly scan: Scans['scan'];
  readonly drop: (path: string, text: string | Buffer) => Promise<string>;
  /** `path state reason` of the ledger's rows, by path. */
  readonly ledger: () => Promise<string[]>;
  readonly titles: () => Promise<string[]>;
}

export const STABILITY_MS = 40;

const scanWith = (scanner: Scanner): Scans['scan'] => {
  return async (signal = new AbortController().signal) => {
    const { files } = await scanner.scan(signal);
    let taken = await scanner.takeDue(Number.POSITIVE_INFINITY, signal);
    for (let due = scanner.nextDueMs; due !== undefined; due = scanner.nextDueMs) {
      if (!(await sleep(Math.max(1, due - performance.now()), signal))) break;
      taken += await scanner.takeDue(Number.POSITIVE_INFINITY, signal);
    }
    return { files, taken };
  };
};

export const openWatchBench = async (): Promise<WatchBench> => {
  const database = await openTestDatabase();
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-watch-'));
  const watch = join(folder.path, 'watch');
  const storage = new LocalStorage({ path: join(folder.path, 'store'), thumbnailPath: join(folder.path, 'thumbnails') });
  const temp = new TempArea(join(folder.path, 'temp'));
  const ingest = {
    db: database.db,
    storage,
    temp,
    settings: constant({ maxAttempts: 4, defaultLanguage: 'eng', notifications: TOLD_HERE, versionsKeep: 0 }),
    typeCheck,
  };
  const processed = join(folder.path, 'processed');
  const makeScanner: WatchBench['makeScanner'] = (settings = {}, otherIngest = {}) => {
    const {
      owner,
      findRoots = makeGlobalRoot(database.db, { folder: watch, owner }),
      moves = false,
      log = silentLogger(),
      tracer = NO_TRACER,
      ...rest
    } = settings;
    const { route = 'watch', processedFolder = processed } = rest;
    const scanner = new Scanner({
      settings: {
        route,
        recursive: true,
        stabilityMs: constant(STABILITY_MS),
        rules: constant({
          patterns: makeNamePatterns({ patterns: ['*'], ignorePatterns: ['.*', '~*', '*.tmp'] }),
          allowedExtensions: ['txt', 'pdf'],
          maxBytes: 1024 * 1024,
          maxAgeMs: 24 * 3_600_000,
        }),
        processedFolder,
        ...rest,
      },
      findRoots,
      mover: moves ? new FileMover({ route, processedFolder, db: database.db, log, onMoved: () => {} }) : undefined,
      ingest: { ...ingest, ...otherIngest },
      attempts: new ImportAttempts({ db: database.db, kind: 'watched', log }),
      tracer,
      clock: { now: () => new Date() },
      log,
    });
    return { scanner, scan: scanWith(scanner) };
  };
  await mkdir(watch);
  return {
    database,
    db: database.db,
    watch,
    folder: folder.path,
    ingest,
    processed,
    makeScanner,
    scan: makeScanner().scan,
    drop: async (path, text) => {
      const full = join(watch, path);
      await mkdir(dirname(full), { recursive: true });
      await writeFile(full, text);
      return full;
    },
    ledger: async () => {
      const { rows } = await database.pool.query(
        "select path, state, reason_code || coalesce(': ' || (reason_details ->> 'error'), '') as why from ingest_ledger order by path",
      );
      return rows.map(({ path, state, why }) => `${path} ${state}${why === null ? '' : ` ${why}`}`);
    },
    titles: async () => (await database.pool.query('select title from documents order by title')).rows.map(({ title }) => title),
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
};
