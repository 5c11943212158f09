import type { Config } from '@sheaf/config';
import { Listener } from '@sheaf/db';
import { hasLocalDocuments } from '@sheaf/documents';
import { ImportAttempts, type IngestDeps, QueueGate, TypeCheck } from '@sheaf/ingest';
import { Scrub } from '@sheaf/ingest/integrity';
import { select } from '@sheaf/process';
import type { ProgramContext, ProgramParts } from '@sheaf/program';
import { openStorage, StorageHealth, TempArea } from '@sheaf/storage';
import { makeNamePatterns } from '@sheaf/storage/folders';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { findUserRoots } from '@sheaf/watch';
import { BackupRunner } from './backups/backup-runner.ts';
import { FileMover } from './file-mover.ts';
import { FolderWatch } from './folder-watch.ts';
import { makeGlobalRoot } from './global-root.ts';
import { makeAlertCounter } from './health/alert-metrics.ts';
import { HealthMonitor } from './health/health-monitor.ts';
import { machineMeters } from './health/machine-conditions.ts';
import { makeHousekeeping } from './housekeeping.ts';
import type { FileRules } from './judge-file.ts';
import { makeSavedSearchMatches } from './saved-search-matches.ts';
import { Scanner } from './scanner.ts';
import { makeScrubMetrics } from './scrub-metrics.ts';
import { makeWatchMetrics, type WatchMetrics } from './watch-metrics.ts';
import type { FindRoots } from './watch-root.ts';

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
