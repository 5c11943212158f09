import { CHANNELS, type Channel, SOURCE_TYPES, type SourceType, scopeOf } from '@sheaf/contract';
import { hasLocalDocuments, Listener } from '@sheaf/db';
import { type ProgramContext, runProgram, VERSION } from '@sheaf/program';
import { type Component, type GuardedFetch, makeGuardedFetch } from '@sheaf/runtime';
import { openStorage, type Storage, StorageHealth, TempArea } from '@sheaf/storage';
import { openDeliverer } from './open-deliverer.ts';
import { makeDriverOpener } from './open-driver.ts';
import { Slots } from './slots.ts';
import { makeSourceChecks } from './source-checks.ts';
import type { SyncDeps } from './sync-deps.ts';
import { SyncEngine } from './sync-engine.ts';
import { makeSyncMetrics } from './sync-metrics.ts';

/** Some 10 MB at most; what is beyond is listed again when these are done. */
const MAX_PENDING_FILES = 20_000;

const typesOf = ({ config }: ProgramContext): SourceType[] =>
  SOURCE_TYPES.filter((type) => type !== 'webdav' || config.sources.webdavEnabled);

const ownerRolesOf = ({ config: { signIn } }: ProgramContext): string[] =>
  Object.entries(signIn.roles).flatMap(([role, permissions]) => (scopeOf(permissions, 'documents.create') === 'none' ? [] : [role]));

const makeDeps = (context: ProgramContext, storage: Storage, fetch: GuardedFetch): SyncDeps => {
  const { config, database, clock, log, registry } = context;
  return {
    settings: {
      types: typesOf(context),
      ownerRoles: ownerRolesOf(context),
      allowedExtensions: config.ingest.allowedFileTypes.elsewhere,
      maxFileBytes: config.ingest.maxFileBytes,
      parallelDownloads: config.sources.parallelDownloads,
      maxPendingFiles: MAX_PENDING_FILES,
    },
    ingest: { db: database.db, storage, temp: new TempArea(config.storage.tempPath), settings: config.ingest },
    openDriver: makeDriverOpener(fetch, config.signIn.appSecretKey, config.sources.localRoots),
    notifications: config.notifications.policy,
    alerts: config.notifications,
    slots: new Slots(config.sources.parallelDownloads),
    metrics: makeSyncMetrics(registry),
    clock,
    log,
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
  const deps = makeDeps(context, storage, fetch);
  const engine = new SyncEngine(deps);
  const checks = makeSourceChecks(deps, config.sources.checkIntervalMs);
  const nudge = (): void => {
    engine.nudge();
    checks.nudge();
  };
  return { components: [new StorageHealth(storage, log), engine, checks], nudge };
};

const makeComponents = async (context: ProgramContext): Promise<Component[]> => {
  const { config, database, log } = context;
  const fetch = makeGuardedFetch(config.outbound, { userAgent: `Sheaf/${VERSION}` });
  const sources = await makeSourceParts(context, fetch);
  const deliverer = openDeliverer(context, fetch);
  const onNudge = (channel: Channel, payload?: string): void => {
    if (channel === CHANNELS.deliveries) deliverer.nudge(payload);
    else sources.nudge();
  };
  const channels = [CHANNELS.sources, CHANNELS.deliveries];
  return [...sources.components, deliverer, new Listener({ url: database.url, channels, log, onNudge })];
};

await runProgram({
  name: 'sync',
  single: true,
  probeOffset: 20,
  build: async (context) => ({ components: await makeComponents(context) }),
});
