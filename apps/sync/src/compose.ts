import type { Config, FixedConfig } from '@sheaf/config';
import type { Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { type Db, Listener, readRoles } from '@sheaf/db';
import type { Source } from '@sheaf/db/schema';
import { hasLocalDocuments } from '@sheaf/documents';
import {
  type ChannelOff,
  clearAlert,
  Deliverer,
  type DelivererDeps,
  type DeliveryWay,
  type DeliveryWays,
  Mailer,
  makeDeliveryMetrics,
  makeEmailWay,
  makeWebhookWay,
  raiseAlert,
} from '@sheaf/events/notifications';
import { ImportAttempts, QueueGate, TypeCheck } from '@sheaf/ingest';
import { type GuardedFetch, makeGuardedFetch } from '@sheaf/outbound';
import { type Clock, type Component, forEachLimit, type Live, Loop, select } from '@sheaf/process';
import { type ProgramContext, type ProgramParts, VERSION } from '@sheaf/program';
import {
  fetchByTrust,
  isPlaceOfAdministrators,
  makeDriver,
  makePublicFetch,
  openSourceSecret,
  type SourceDriver,
  SourceError,
  toDriverSettings,
} from '@sheaf/sources';
import { listUncheckedSources, noteCheck, type SourceTrouble } from '@sheaf/sources/runs';
import { openStorage, StorageHealth, TempArea } from '@sheaf/storage';
import { CHANNELS, type Channel } from '@sheaf/vocabulary/events';
import { type ConfiguredRoles, rolesForAll } from '@sheaf/vocabulary/permissions';
import { SOURCE_TYPES, type SourceType } from '@sheaf/vocabulary/sources';
import { type FileLimits, makeSyncMetrics, Slots, type SyncDeps } from './sync-deps.ts';
import { SyncEngine } from './sync-engine.ts';

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

/** What runs over sources; nothing where they are disabled. */
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

interface FetchForDeps {
  readonly db: Db;
  /** Reaches private networks, as far as the configuration lets it. */
  readonly open: GuardedFetch;
  readonly publicOnly: GuardedFetch;
  readonly roles: ConfiguredRoles;
}

/** The client for the requests of a source: private networks are open only to sources of administrators and to others at the same place. */
export const makeFetchFor =
  ({ db, open, publicOnly, roles }: FetchForDeps): ((source: Source) => GuardedFetch) =>
  (source) =>
    fetchByTrust(open, publicOnly, async () =>
      isPlaceOfAdministrators(db, source, rolesForAll(await readRoles(db, roles), 'sources.update')),
    );

const secretOf = ({ id, sealedSecret }: Source, secretKey: Secret): Secret | undefined => {
  if (sealedSecret === null) return undefined;
  const secret = openSourceSecret(sealedSecret, id, secretKey);
  if (secret !== undefined) return secret;
  throw new SourceError(
    'unauthorized',
    'The stored password cannot be decrypted because APP_SECRET_KEY has changed. Enter the password again.',
  );
};

/** Makes drivers of sources as they are kept. They throw SourceError where the source can have none. */
export const makeDriverOpener =
  (fetchFor: (source: Source) => GuardedFetch, secretKey: Secret, localRoots: readonly string[]) =>
  (source: Source): SourceDriver =>
    makeDriver(toDriverSettings(source, secretOf(source, secretKey), localRoots), { fetch: fetchFor(source) });

type Context = Pick<ProgramContext, 'database' | 'clock' | 'log' | 'registry' | 'tracer'> & { readonly settings: Live<Config> };

/** Why nothing leaves by any channel, where that is so. */
const whyNothing = (config: Config): string | undefined => {
  if (!config.features.notifications) return 'Notifications are disabled (FEATURE_NOTIFICATIONS=false).';
  return config.notifications.policy.enabled ? undefined : 'Notifications are disabled (NOTIFICATIONS_ENABLED=false).';
};

const emailOf = (config: Config): DeliveryWay | ChannelOff => {
  const { notifications, mail, publicUrl } = config;
  const off = whyNothing(config);
  if (off !== undefined) return { off };
  if (!notifications.emailEnabled || mail === undefined) return { off: 'E-mail is disabled (EMAIL_ENABLED=false).' };
  return makeEmailWay({ mailer: new Mailer(mail), publicUrl });
};

const webhookOf = (config: Config, fetch: GuardedFetch, clock: Clock): DeliveryWay | ChannelOff => {
  const { webhook } = config.notifications;
  const off = whyNothing(config) ?? (webhook === undefined ? 'Webhooks are disabled (WEBHOOK_ENABLED=false).' : undefined);
  return off === undefined && webhook !== undefined ? makeWebhookWay({ ...webhook, fetch, clock }) : { off: off ?? '' };
};

const ways = ({ settings, clock }: Context, fetch: GuardedFetch): DeliveryWays => ({
  email: select(settings, emailOf),
  webhook: select(settings, (config) => webhookOf(config, fetch, clock)),
});

/** What sends notifications by mail and webhook, from the settings. */
export const openDeliverer = (
  context: Context,
  fetch: GuardedFetch,
  times: Pick<DelivererDeps, 'leaseMs' | 'pollMs' | 'retryDelaysMs' | 'stopMs'> = {},
): Deliverer =>
  new Deliverer({
    db: context.database.db,
    ways: ways(context, fetch),
    tracer: context.tracer,
    clock: context.clock,
    log: context.log,
    metrics: makeDeliveryMetrics(context.registry),
    ...times,
  });

const CHECK_TIMEOUT_MS = 30_000;
const AT_ONCE = 3;
/** How often it is asked which sources are to be looked at; a new one is looked at soon. */
const MAX_POLL_MS = 30_000;

/** Looks at the connection of each source every `intervalMs`, and tells when it begins or ceases to work. */
export const makeSourceChecks = (deps: SyncDeps, intervalMs: Live<number>): Loop =>
  new Loop({
    name: 'source-checks',
    intervalMs: MAX_POLL_MS,
    log: deps.telemetry.log,
    nudgedBy: intervalMs,
    run: async (signal) => {
      const waiting = await listUncheckedSources(deps.ingest.db, deps.settings, intervalMs.current());
      await forEachLimit(waiting, AT_ONCE, async (source) => {
        if (!signal.aborted) await checkSource(source, deps, signal);
      });
      return Math.min(MAX_POLL_MS, intervalMs.current());
    },
  });

const checkSource = async (source: Source, deps: SyncDeps, signal: AbortSignal): Promise<void> => {
  const problem = await findProblem(source, deps, signal);
  if (signal.aborted) return;
  await deps.ingest.db.transaction(async (tx) => {
    if (!(await noteCheck(tx, source, problem))) return;
    // Nothing was known before the first look: that a new source works is no news.
    if ((source.isReachable ?? true) === (problem === undefined)) return;
    const { name } = source;
    const news = {
      component: `source:${source.id}`,
      problems: [
        problem === undefined
          ? makeProblem('source_reachable', { name })
          : makeProblem('source_unreachable', { name, source_problem: problem.code }),
      ],
      ownerId: source.ownerId,
    };
    if (problem === undefined) await clearAlert(tx, deps.alerts.current(), news);
    else await raiseAlert(tx, deps.alerts.current(), { ...news, level: 'warning' });
  });
};

/** What is wrong; undefined when the source answers. */
const findProblem = async (source: Source, { openDriver }: SyncDeps, stop: AbortSignal): Promise<SourceTrouble | undefined> => {
  const timeout = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  try {
    const driver = openDriver(source);
    try {
      await driver.check(AbortSignal.any([stop, timeout]));
    } finally {
      await driver.close();
    }
    return undefined;
  } catch (error) {
    if (error instanceof SourceError) return { code: error.code, message: error.message };
    if (timeout.aborted) return { code: 'timeout', message: `No response within ${CHECK_TIMEOUT_MS / 1_000} s.` };
    if (stop.aborted) return undefined;
    throw error;
  }
};
