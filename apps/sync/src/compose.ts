import type { Config, FixedConfig } from '@sheaf/config';
import { Listener } from '@sheaf/db';
import type { Source } from '@sheaf/db/schema';
import { hasLocalDocuments } from '@sheaf/documents';
import { ImportAttempts, QueueGate, TypeCheck } from '@sheaf/ingest';
import { type GuardedFetch, makeGuardedFetch } from '@sheaf/outbound';
import { type Component, type Live, select } from '@sheaf/process';
import { type ProgramContext, type ProgramParts, VERSION } from '@sheaf/program';
import { makePublicFetch } from '@sheaf/sources';
import { openStorage, StorageHealth, TempArea } from '@sheaf/storage';
import { CHANNELS, type Channel } from '@sheaf/vocabulary/events';
import { SOURCE_TYPES, type SourceType } from '@sheaf/vocabulary/sources';
import { openDeliverer } from './open-deliverer.ts';
import { makeDriverOpener, makeFetchFor } from './open-driver.ts';
import { Slots } from './slots.ts';
import { makeSourceChecks } from './source-checks.ts';
import type { FileLimits, SyncDeps } from './sync-deps.ts';
import { SyncEngine } from './sync-engine.ts';
import { makeSyncMetrics } from './sync-metrics.ts';

/** Some 10 MB at most; what is beyond is listed again when these are done. */
const MAX_PENDING_FILES = 20_000;

type SyncContext = Pick<ProgramContext, 'config' | 'clock' | 'log' | 'registry' | 'tracer'> & {
  readonly settings: Live<Config>;
  readonly database: Pick<ProgramContext['database'], 'db'>;
};

/** What tests compose otherwise than the service. */
export interface ComposeOptions {
  /** The client for the requests of a source. */
  readonly fetchFor?: (source: Source) => GuardedFetch;
  readonly maxPendingFiles?: number;
}

const typesOf = ({ sources }: FixedConfig): SourceType[] => SOURCE_TYPES.filter((type) => type !== 'webdav' || sources.webdavEnabled);

const fileLimits = ({ ingest }: Config): FileLimits => ({
  allowedExtensions: ingest.allowedFileTypes.elsewhere,
  maxFileBytes: ingest.maxFileBytes,
});

const openFetchFor = ({ config, database }: SyncContext): ((source: Source) => GuardedFetch) => {
  const userAgent = `Sheaf/${VERSION}`;
  const open = makeGuardedFetch(config.outbound, { userAgent });
  const publicOnly = makePublicFetch(config.outbound, { userAgent });
  return makeFetchFor({ db: database.db, open, publicOnly, roles: config.signIn.roles });
};

/** What runs over sources need, from the settings. */
export const openSyncDeps = async (context: SyncContext, options: ComposeOptions = {}): Promise<SyncDeps> => {
  const { config, settings, database, clock, log, registry, tracer } = context;
  const { db } = database;
  const fetchFor = options.fetchFor ?? openFetchFor(context);
  const parallelDownloads = select(settings, ({ sources }) => sources.parallelDownloads);
  return {
    settings: {
      types: typesOf(config),
      roles: config.signIn.roles,
      files: select(settings, fileLimits),
      parallelDownloads,
      maxPendingFiles: options.maxPendingFiles ?? MAX_PENDING_FILES,
    },
    ingest: {
      db,
      storage: await openStorage(config.storage, { hasLocalDocuments: () => hasLocalDocuments(db) }),
      temp: new TempArea(config.storage.tempPath),
      settings: select(settings, ({ ingest }) => ingest),
      queue: new QueueGate(
        db,
        select(settings, ({ resources }) => resources.queueSize),
      ),
      typeCheck: new TypeCheck({ threads: 1 }, log),
    },
    attempts: new ImportAttempts({ db, kind: 'source', log }),
    openDriver: makeDriverOpener(fetchFor, config.signIn.appSecretKey, config.sources.localRoots),
    alerts: select(settings, ({ notifications }) => notifications),
    slots: new Slots(parallelDownloads),
    telemetry: { metrics: makeSyncMetrics(registry), tracer, log },
    clock,
  };
};

/** What is nudged from outside, beside its polling. */
interface Nudged {
  readonly components: readonly Component[];
  readonly nudge: () => void;
}

/** What runs over sources; nothing where they are switched off. */
const makeSourceParts = async (context: ProgramContext): Promise<Nudged> => {
  const { config, settings, log } = context;
  if (!config.sources.enabled) return { components: [], nudge: () => {} };
  const deps = await openSyncDeps(context);
  const { storage, typeCheck } = deps.ingest;
  const engine = new SyncEngine(deps);
  const checks = makeSourceChecks(
    deps,
    select(settings, ({ sources }) => sources.checkIntervalMs),
  );
  const nudge = (): void => {
    engine.nudge();
    checks.nudge();
  };
  return { components: [new StorageHealth(storage, log), deps.attempts, typeCheck, engine, checks], nudge };
};

/** The sync process from its settings to its components. */
export const composeSync = async (context: ProgramContext): Promise<ProgramParts> => {
  const { config, database, log } = context;
  const sources = await makeSourceParts(context);
  const deliverer = openDeliverer(context, makeGuardedFetch(config.outbound, { userAgent: `Sheaf/${VERSION}` }));
  const onNudge = (channel: Channel, payload?: string): void => {
    if (channel === CHANNELS.deliveries) deliverer.nudge(payload);
    else sources.nudge();
  };
  const channels = [CHANNELS.sources, CHANNELS.deliveries];
  return { components: [...sources.components, deliverer, new Listener({ url: database.directUrl, channels, log, onNudge })] };
};
