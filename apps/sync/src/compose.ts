import { Listener } from '@sheaf/db';
import { hasLocalDocuments } from '@sheaf/documents';
import { ImportAttempts, QueueGate, TypeCheck } from '@sheaf/ingest';
import { type GuardedFetch, makeGuardedFetch } from '@sheaf/outbound';
import type { Component } from '@sheaf/process';
import { type ProgramContext, type ProgramParts, VERSION } from '@sheaf/program';
import { makePublicFetch } from '@sheaf/sources';
import { openStorage, type Storage, StorageHealth, TempArea } from '@sheaf/storage';
import { CHANNELS, type Channel } from '@sheaf/vocabulary/events';
import { scopeOf } from '@sheaf/vocabulary/permissions';
import { SOURCE_TYPES, type SourceType } from '@sheaf/vocabulary/sources';
import { makeFetchFor } from './fetch-for.ts';
import { openDeliverer } from './open-deliverer.ts';
import { makeDriverOpener } from './open-driver.ts';
import { Slots } from './slots.ts';
import { makeSourceChecks } from './source-checks.ts';
import type { SyncDeps, SyncSettings } from './sync-deps.ts';
import { SyncEngine } from './sync-engine.ts';
import { makeSyncMetrics } from './sync-metrics.ts';

/** Some 10 MB at most; what is beyond is listed again when these are done. */
const MAX_PENDING_FILES = 20_000;

type Config = ProgramContext['config'];

const typesOf = ({ sources }: Config): SourceType[] => SOURCE_TYPES.filter((type) => type !== 'webdav' || sources.webdavEnabled);

const ownerRolesOf = ({ signIn }: Config): string[] =>
  Object.entries(signIn.roles).flatMap(([role, permissions]) => (scopeOf(permissions, 'documents.create') === 'none' ? [] : [role]));

const syncSettings = (config: Config): SyncSettings => ({
  types: typesOf(config),
  ownerRoles: ownerRolesOf(config),
  allowedExtensions: config.ingest.allowedFileTypes.elsewhere,
  maxFileBytes: config.ingest.maxFileBytes,
  parallelDownloads: config.sources.parallelDownloads,
  maxPendingFiles: MAX_PENDING_FILES,
});

const makeDeps = (context: ProgramContext, storage: Storage, typeCheck: TypeCheck, fetch: GuardedFetch): SyncDeps => {
  const { config, feed, database, clock, log, registry, tracer } = context;
  const { settings } = feed;
  const publicOnly = makePublicFetch(config.outbound, { userAgent: `Sheaf/${VERSION}` });
  const fetchFor = makeFetchFor({ db: database.db, open: fetch, publicOnly, roles: () => config.signIn.roles });
  const slots = new Slots(() => config.sources.parallelDownloads);
  settings.onChange(() => slots.look());
  return {
    settings: settings.view(syncSettings),
    ingest: {
      db: database.db,
      storage,
      temp: new TempArea(config.storage.tempPath),
      settings: config.ingest,
      queue: new QueueGate(database.db, () => config.resources.queueSize),
      typeCheck,
    },
    attempts: new ImportAttempts({ db: database.db, kind: 'source', log }),
    openDriver: makeDriverOpener(fetchFor, config.signIn.appSecretKey, config.sources.localRoots),
    alerts: config.notifications,
    slots,
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
const makeSourceParts = async (context: ProgramContext, fetch: GuardedFetch): Promise<Nudged> => {
  const { config, database, log } = context;
  if (!config.sources.enabled) return { components: [], nudge: () => {} };
  const storage = await openStorage(config.storage, { hasLocalDocuments: () => hasLocalDocuments(database.db) });
  const typeCheck = new TypeCheck({ threads: 1 }, log);
  const deps = makeDeps(context, storage, typeCheck, fetch);
  const engine = new SyncEngine(deps);
  const checks = makeSourceChecks(deps, () => config.sources.checkIntervalMs);
  context.feed.settings.onChange(() => checks.nudge());
  const nudge = (): void => {
    engine.nudge();
    checks.nudge();
  };
  return { components: [new StorageHealth(storage, log), deps.attempts, typeCheck, engine, checks], nudge };
};

/** The sync process from its settings to its components. */
export const composeSync = async (context: ProgramContext): Promise<ProgramParts> => {
  const { config, database, log } = context;
  const fetch = makeGuardedFetch(config.outbound, { userAgent: `Sheaf/${VERSION}` });
  const sources = await makeSourceParts(context, fetch);
  const deliverer = openDeliverer(context, fetch);
  const onNudge = (channel: Channel, payload?: string): void => {
    if (channel === CHANNELS.deliveries) deliverer.nudge(payload);
    else sources.nudge();
  };
  const channels = [CHANNELS.sources, CHANNELS.deliveries];
  return { components: [...sources.components, deliverer, new Listener({ url: database.url, channels, log, onNudge })] };
};
