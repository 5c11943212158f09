import { deleteBackupRunsBefore } from '@sheaf/backup/runs';
import type { Config } from '@sheaf/config';
import { type Db, Listener } from '@sheaf/db';
import { foldDocumentTallies, hasLocalDocuments } from '@sheaf/documents';
import { deleteEventsBefore } from '@sheaf/events';
import { type AlertAudience, deleteDeliveriesBefore, deleteReadNotificationsBefore } from '@sheaf/events/notifications';
import {
  ImportAttempts,
  type IngestDeps,
  QueueGate,
  removeStoredBytes,
  sweepOrphans,
  TypeCheck,
  trimSearchablePdfs,
  trimThumbnails,
} from '@sheaf/ingest';
import { Scrub, type ScrubMetrics } from '@sheaf/ingest/integrity';
import { purgeExpired } from '@sheaf/ingest/trash';
import { type Clock, type Component, Counter, Gauge, type Live, type Logger, Loop, type Registry, select } from '@sheaf/process';
import { deleteProcessesBefore, type ProgramContext, type ProgramParts } from '@sheaf/program';
import { notifyMatches } from '@sheaf/search/saved-searches';
import { deleteSharesEndedBefore } from '@sheaf/search/shares';
import { openStorage, type Storage, StorageHealth, TempArea } from '@sheaf/storage';
import { makeNamePatterns } from '@sheaf/storage/folders';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { findUserRoots } from '@sheaf/watch';
import { BackupRunner } from './backups/backup-runner.ts';
import { FileMover } from './file-mover.ts';
import { type FindRoots, makeGlobalRoot } from './file-notes.ts';
import { FolderWatch, makeWatchMetrics, type WatchMetrics } from './folder-watch.ts';
import { HealthMonitor, makeAlertCounter } from './health/health-monitor.ts';
import { machineMeters } from './health/machine-conditions.ts';
import { Scanner } from './scanner.ts';
import type { FileRules } from './take-file.ts';

interface Watched {
  readonly name: string;
  readonly route: IngestRoute;
  readonly folder: string;
  readonly variable: 'WATCH_FOLDER' | 'USER_WATCH_BASE_DIR';
  readonly depth: number | undefined;
  readonly findRoots: FindRoots;
}

const rulesOf = ({ watch, ingest }: Config): FileRules => ({
  patterns: makeNamePatterns(watch),
  allowedExtensions: ingest.allowedFileTypes.elsewhere,
  maxBytes: ingest.maxFileBytes,
  maxAgeMs: watch.maxAgeMs,
});

/** What all watched folders share. */
interface Shared {
  readonly metrics: WatchMetrics;
  readonly ingest: IngestDeps;
  readonly attempts: ImportAttempts;
}

const makeWatch = (watched: Watched, context: ProgramContext, { metrics, ingest, attempts }: Shared): FolderWatch => {
  const { config, settings, database, log, clock, tracer } = context;
  const { recursive, processed } = config.watch;
  const { route, findRoots } = watched;
  const processedFolder = processed.folder;
  const onMoved = (): void => metrics.moved(route);
  const mover = processed.enabled ? new FileMover({ route, processedFolder, db: database.db, log, onMoved }) : undefined;
  const stabilityMs = select(settings, (current) => current.watch.stabilityMs);
  const scanning = { route, recursive, processedFolder, stabilityMs, rules: select(settings, rulesOf) };
  const scanner = new Scanner({ settings: scanning, findRoots, mover, ingest, attempts, tracer, clock, log });
  const intervalMs = select(settings, (current) => current.watch.intervalMs);
  return new FolderWatch({ ...watched, intervalMs, processedFolder, scanner, metrics, log });
};

/** The folder of all, and the folders of the users where they are wanted. */
const listWatched = ({ config: { watch }, database: { db }, clock, log }: ProgramContext): Watched[] => {
  const { enabled, baseFolder } = watch.perUser;
  log.info({ per_user_watch: enabled, user_watch_base_dir: baseFolder }, `watch folders of users are ${enabled ? 'enabled' : 'disabled'}`);
  const globalFolder: Watched = {
    name: 'watch_folder',
    route: 'watch',
    folder: watch.folder,
    variable: 'WATCH_FOLDER',
    depth: watch.recursive ? undefined : 0,
    findRoots: makeGlobalRoot(db, watch),
  };
  const userFolders: Watched = {
    name: 'user_watch_folders',
    route: 'user_watch',
    folder: baseFolder,
    variable: 'USER_WATCH_BASE_DIR',
    depth: watch.recursive ? undefined : 1,
    findRoots: findUserRoots({ db, baseFolder, clock, log }),
  };
  return enabled ? [globalFolder, userFolders] : [globalFolder];
};

const makeMonitor = ({ config, settings, database, clock, log, registry }: ProgramContext): HealthMonitor => {
  const { path, tempPath } = config.storage;
  return new HealthMonitor({
    db: database.db,
    audience: select(settings, ({ notifications }) => notifications),
    meters: machineMeters(),
    settings: {
      monitoring: select(settings, ({ monitoring }) => monitoring),
      folders: [path, tempPath, config.dataPath],
    },
    counter: makeAlertCounter(registry),
    clock,
    log,
  });
};

/** The watcher from its settings to its components. */
export const composeWatcher = async (context: ProgramContext): Promise<ProgramParts> => {
  const { config, settings, database, clock, log, registry } = context;
  const storage = await openStorage(config.storage, { hasLocalDocuments: () => hasLocalDocuments(database.db) });
  const metrics = makeWatchMetrics(registry);
  const queue = new QueueGate(
    database.db,
    select(settings, ({ resources }) => resources.queueSize),
  );
  const attempts = new ImportAttempts({ db: database.db, kind: 'watched', log });
  const temp = new TempArea(config.storage.tempPath);
  const typeCheck = new TypeCheck({ threads: 1 }, log);
  const ingest = { db: database.db, storage, temp, settings: select(settings, (current) => current.ingest), queue, typeCheck };
  const watches = listWatched(context).map((watched) => makeWatch(watched, context, { metrics, ingest, attempts }));
  const { thumbnailCacheBytes: maxThumbnailBytes, searchableCacheBytes: maxSearchableBytes } = config.storage;
  const trashRetentionMs = select(settings, (current) => current.storage.trashRetentionMs);
  const housekeeping = makeHousekeeping({
    db: database.db,
    storage,
    temp,
    maxThumbnailBytes,
    maxSearchableBytes,
    trashRetentionMs,
    clock,
    log,
  });
  const scrubDeps = {
    db: database.db,
    alerts: select(settings, ({ notifications }) => notifications),
    storage,
    clock,
    log,
    metrics: makeScrubMetrics(registry),
  };
  const scrub = new Scrub(
    scrubDeps,
    select(settings, (current) => current.storage.scrubPeriodMs),
  );
  const backups = new BackupRunner({
    db: database.db,
    folder: config.storage.backupPath,
    audience: select(settings, ({ notifications }) => notifications),
    log,
  });
  const requests = new Listener({
    url: database.directUrl,
    channels: [CHANNELS.requests],
    log,
    onNudge: (_channel, what) => {
      if (what !== 'import') backups.nudge();
    },
  });
  const savedSearches = makeSavedSearchMatches({ db: database.db, audience: select(settings, ({ notifications }) => notifications), log });
  const parts = [
    new StorageHealth(storage, log),
    attempts,
    typeCheck,
    ...watches,
    ...housekeeping,
    scrub,
    backups,
    requests,
    savedSearches,
  ];
  return { components: [...parts, makeMonitor(context)] };
};

/** What is completed in between is one notification. */
const INTERVAL_MS = 15_000;

interface Deps {
  readonly db: Db;
  readonly audience: Live<AlertAudience>;
  readonly log: Logger;
}

/** Notifies owners of saved searches of new matches, in the one process of its kind that works. */
export const makeSavedSearchMatches = ({ db, audience, log }: Deps): Component =>
  new Loop({
    name: 'saved-search-matches',
    intervalMs: INTERVAL_MS,
    log,
    run: () => notifyMatches({ db, audience: audience.current(), log }),
  });

const makeScrubMetrics = (registry: Registry): ScrubMetrics => {
  const registers = [registry];
  const files = new Gauge({
    name: 'sheaf_stored_files',
    help: 'Stored files by result of the last verification',
    labelNames: ['state'],
    registers,
  });
  const bytes = new Gauge({ name: 'sheaf_stored_bytes', help: 'Size of all stored files in bytes', registers });
  const round = new Gauge({
    name: 'sheaf_scrub_round_timestamp_seconds',
    help: 'Time since which every stored file was verified; 0 if some were never verified',
    registers,
  });
  const read = new Counter({ name: 'sheaf_scrub_bytes_total', help: 'Bytes of stored files read for verification', registers });
  return {
    read: (count) => read.inc(count),
    seen: (totals, { missing, changed, unreadable }) => {
      const { unchecked } = totals;
      const states = {
        ok: Math.max(0, totals.files - unchecked - missing - changed - unreadable),
        missing,
        changed,
        unreadable,
        unchecked,
      };
      for (const [state, count] of Object.entries(states)) files.set({ state }, count);
      bytes.set(totals.bytes);
      round.set(unchecked === 0 ? (totals.oldestCheckAt?.getTime() ?? 0) / 1_000 : 0);
    },
  };
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Each list reads through what is not folded yet: 0.04 ms for 1,000 deltas, which is 200 documents on their way through. */
const FOLD_MS = 10_000;
/** Clients that were away for less get every event they missed. */
/** Of notifications that were read; the others stay. */
const NOTIFICATION_RETENTION_MS = 90 * DAY_MS;
const EVENT_RETENTION_MS = DAY_MS;
/** An administrator may look at what has left, and what has not, for so long. */
const DELIVERY_RETENTION_MS = 30 * DAY_MS;
/** So long it is known which backups were verified. */
const BACKUP_RUN_RETENTION_MS = 365 * DAY_MS;
/** Whoever made a share link sees for so long that it has ended, and how often it was opened. */
const SHARE_RETENTION_MS = 30 * DAY_MS;
/** Links of one statement. */
const SHARES_AT_ONCE = 1_000;
/** Half-written files of a process that was killed; the slowest upload is younger. */
const LEFTOVER_AGE_MS = DAY_MS;

interface HousekeepingDeps {
  readonly db: Db;
  readonly storage: Storage;
  readonly temp: TempArea;
  /** Of stored thumbnails, in bytes. */
  readonly maxThumbnailBytes: number;
  /** How long documents stay in the trash. */
  readonly trashRetentionMs: Live<number>;
  /** Of stored searchable PDFs. */
  readonly maxSearchableBytes: number;
  readonly clock: Clock;
  readonly log: Logger;
}

const ago = (clock: Clock, ms: number): Date => new Date(clock.now().getTime() - ms);

/** Old events, what has left long ago, and the rows of processes that died. */
const forgetRows = async ({ db, clock }: HousekeepingDeps): Promise<void> => {
  await deleteEventsBefore(db, ago(clock, EVENT_RETENTION_MS));
  await deleteDeliveriesBefore(db, ago(clock, DELIVERY_RETENTION_MS));
  await deleteReadNotificationsBefore(db, ago(clock, NOTIFICATION_RETENTION_MS));
  await deleteBackupRunsBefore(db, ago(clock, BACKUP_RUN_RETENTION_MS));
  await deleteProcessesBefore(db, ago(clock, HOUR_MS));
  while ((await deleteSharesEndedBefore(db, ago(clock, SHARE_RETENTION_MS), SHARES_AT_ONCE)) === SHARES_AT_ONCE);
};

/** Documents whose time in the trash is over, each with its bytes. */
const purgeTrash = async ({ db, storage, trashRetentionMs, clock, log }: HousekeepingDeps, signal: AbortSignal): Promise<void> => {
  const removeBytes = async (sha256: string): Promise<void> => {
    await removeStoredBytes({ db, storage }, sha256).catch((error: unknown) =>
      log.warn({ err: error, sha256 }, 'stored file left to cleanup'),
    );
  };
  const documents = await purgeExpired(db, ago(clock, trashRetentionMs.current()), { removeBytes, signal });
  if (documents > 0) log.info({ documents }, 'documents in the trash removed permanently');
};

/** Files that nobody misses. */
const sweepFiles = async (deps: HousekeepingDeps, signal: AbortSignal): Promise<void> => {
  const before = ago(deps.clock, LEFTOVER_AGE_MS);
  const leftovers = (await deps.temp.sweep(before)) + (await deps.storage.sweepLeftovers(before));
  const orphans = await sweepOrphans({ ...deps, signal });
  const thumbnails = await trimThumbnails({ storage: deps.storage, maxBytes: deps.maxThumbnailBytes, signal });
  const pdfs = await trimSearchablePdfs({ storage: deps.storage, maxBytes: deps.maxSearchableBytes, signal });
  if (pdfs > 0) deps.log.info({ pdfs }, 'stored searchable PDFs removed');
  if (thumbnails > 0) deps.log.info({ thumbnails }, 'stored thumbnails removed');
  if (leftovers + orphans > 0) deps.log.info({ leftovers, orphans }, 'orphaned files removed');
};

/** What has to be done now and then for the whole service, by the one process that runs once and is idle most of the time. */
export const makeHousekeeping = (deps: HousekeepingDeps): Component[] => {
  const every = (name: string, intervalMs: number, work: (signal: AbortSignal) => Promise<void>): Component =>
    new Loop({
      name,
      intervalMs,
      log: deps.log,
      run: work,
    });
  return [
    every('forget-old-rows', HOUR_MS, () => forgetRows(deps)),
    every('purge-trash', HOUR_MS, (signal) => purgeTrash(deps, signal)),
    every('sweep-files', DAY_MS, (signal) => sweepFiles(deps, signal)),
    every('fold-document-tallies', FOLD_MS, async () => {
      await foldDocumentTallies(deps.db);
    }),
  ];
};
