import type { Config } from '@sheaf/config';
import { hasLocalDocuments } from '@sheaf/documents';
import { makeNamePatterns } from '@sheaf/file-tree';
import { ImportAttempts, type IngestDeps, QueueGate, TypeCheck } from '@sheaf/ingest';
import { Scrub } from '@sheaf/integrity';
import type { ProgramContext, ProgramParts } from '@sheaf/program';
import { openStorage, StorageHealth, TempArea } from '@sheaf/storage';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import { findUserRoots } from '@sheaf/watching';
import { FileMover } from './file-mover.ts';
import { FolderWatch } from './folder-watch.ts';
import { makeGlobalRoot } from './global-root.ts';
import { makeAlertCounter } from './health/alert-metrics.ts';
import { HealthMonitor } from './health/health-monitor.ts';
import { machineMeters } from './health/machine-conditions.ts';
import { makeHousekeeping } from './housekeeping.ts';
import { Scanner } from './scanner.ts';
import { makeScrubMetrics } from './scrub-metrics.ts';
import { makeWatchMetrics, type WatchMetrics } from './watch-metrics.ts';
import type { FindRoots } from './watch-root.ts';

interface Watched {
  readonly name: string;
  readonly route: IngestRoute;
  readonly folder: string;
  readonly depth: number | undefined;
  readonly findRoots: FindRoots;
}

const rulesOf = ({ watch, ingest }: Config) => ({
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
  const { config, feed, database, log, clock, tracer } = context;
  const { settings } = feed;
  const { watch } = config;
  const { route, findRoots } = watched;
  const processedFolder = watch.processed.folder;
  const onMoved = (): void => metrics.moved(route);
  const mover = watch.processed.enabled ? new FileMover({ route, processedFolder, db: database.db, log, onMoved }) : undefined;
  const scanning = settings.view((current) => ({ ...current.watch, route, rules: rulesOf(current), processedFolder }));
  const scanner = new Scanner({ settings: scanning, findRoots, mover, ingest, attempts, tracer, clock, log });
  const folderWatch = new FolderWatch({ ...watched, intervalMs: () => watch.intervalMs, processedFolder, scanner, metrics, log });
  settings.onChange(() => folderWatch.reschedule());
  return folderWatch;
};

/** The folder of all, and the folders of the users where they are wanted. */
const listWatched = ({ config: { watch }, database: { db }, clock, log }: ProgramContext): Watched[] => {
  const { enabled, baseFolder } = watch.perUser;
  log.info({ per_user_watch: enabled, user_watch_base_dir: baseFolder }, `watch folders of users are ${enabled ? 'enabled' : 'disabled'}`);
  const globalFolder: Watched = {
    name: 'watch_folder',
    route: 'watch',
    folder: watch.folder,
    depth: watch.recursive ? undefined : 0,
    findRoots: makeGlobalRoot(db, watch),
  };
  const userFolders: Watched = {
    name: 'user_watch_folders',
    route: 'user_watch',
    folder: baseFolder,
    depth: watch.recursive ? undefined : 1,
    findRoots: findUserRoots({ db, baseFolder, clock, log }),
  };
  return enabled ? [globalFolder, userFolders] : [globalFolder];
};

const makeMonitor = ({ config, feed, database, clock, log, registry }: ProgramContext): HealthMonitor => {
  const { settings } = feed;
  const { path, tempPath } = config.storage;
  const monitor = new HealthMonitor({
    db: database.db,
    audience: config.notifications,
    meters: machineMeters(),
    settings: {
      machine: settings.view(({ monitoring }) => ({ ...monitoring, folders: [path, tempPath, config.dataPath] })),
      intervalMs: () => config.monitoring.intervalMs,
    },
    counter: makeAlertCounter(registry),
    clock,
    log,
  });
  settings.onChange(() => monitor.nudge());
  return monitor;
};

/** The watcher from its settings to its components. */
export const composeWatcher = async (context: ProgramContext): Promise<ProgramParts> => {
  const { config, database, clock, log, registry } = context;
  const storage = await openStorage(config.storage, { hasLocalDocuments: () => hasLocalDocuments(database.db) });
  const metrics = makeWatchMetrics(registry);
  const queue = new QueueGate(database.db, () => config.resources.queueSize);
  const attempts = new ImportAttempts({ db: database.db, kind: 'watched', log });
  const temp = new TempArea(config.storage.tempPath);
  const typeCheck = new TypeCheck({ threads: 1 }, log);
  const ingest = { db: database.db, storage, temp, settings: config.ingest, queue, typeCheck };
  const watches = listWatched(context).map((watched) => makeWatch(watched, context, { metrics, ingest, attempts }));
  const maxThumbnailBytes = () => config.storage.thumbnailCacheBytes;
  const housekeeping = makeHousekeeping({ db: database.db, storage, temp, maxThumbnailBytes, clock, log });
  const scrubDeps = { db: database.db, alerts: config.notifications, storage, clock, log, metrics: makeScrubMetrics(registry) };
  const scrub = new Scrub(scrubDeps, () => config.storage.scrubPeriodMs);
  const parts = [new StorageHealth(storage, log), attempts, typeCheck, ...watches, ...housekeeping, scrub, makeMonitor(context)];
  return { components: parts };
};
