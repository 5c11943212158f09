import { join } from 'node:path';
import {
  type Accounts,
  Identity,
  type IdentityDeps,
  type IdentitySettings,
  LdapDriver,
  makeAccounts,
  type SessionEnd,
  setupCodeOf,
  usePasswordCores,
} from '@sheaf/accounts';
import { type Audit, hasUsers, makeAudit } from '@sheaf/accounts/users';
import type { Config, FixedConfig } from '@sheaf/config';
import { completeDatabaseUrl, type Database, type Db, openDatabase } from '@sheaf/db';
import { ReadReplica } from '@sheaf/db/replica';
import { hasLocalDocuments } from '@sheaf/documents';
import { Mailer } from '@sheaf/events/notifications';
import { EinvoiceFiles } from '@sheaf/extraction/einvoice';
import { PictureMaker } from '@sheaf/extraction/pictures';
import { FairSlots } from '@sheaf/extraction/thumbnail';
import { QueueGate, TypeCheck } from '@sheaf/ingest';
import { makeGuardedFetch } from '@sheaf/outbound';
import {
  type CacheLimits,
  type Clock,
  type Component,
  Counter,
  Gauge,
  type Live,
  type Logger,
  MemoryCache,
  type Registry,
  select,
} from '@sheaf/process';
import { type ProgramContext, type ProgramParts, VERSION } from '@sheaf/program';
import { makePublicFetch } from '@sheaf/sources';
import { openStorage, StorageHealth, TempArea } from '@sheaf/storage';
import { SystemMeter } from './analytics/system-meter.ts';
import { makeApp } from './app.ts';
import { countSignIns } from './auth/answer-sign-in.ts';
import { openFederation } from './auth/federation.ts';
import { registerCountedMetrics } from './counted-metrics.ts';
import { Thumbnails } from './documents/document-services.ts';
import { makeEinvoiceSource } from './documents/einvoice.ts';
import { PageArranger } from './documents/page-editing/page-arranger.ts';
import { makeDocumentSignatures, SearchablePdfs } from './documents/searchable-pdfs.ts';
import { EVENT_LIMITS, type EventLimits } from './events/connection-register.ts';
import { openEvents } from './events/open-events.ts';
import { openExporter } from './exporter/open-exporter.ts';
import { openHealthSnapshots } from './health/health.ts';
import { openStatusReport } from './health/status-report.ts';
import { withConstantAnswers } from './http/answer-headers.ts';
import { Authenticator } from './http/authenticate.ts';
import { Cursors } from './http/list-route.ts';
import { openRateLimit } from './http/rate-limit.ts';
import { ReadDatabase } from './http/read-database.ts';
import { openRequestRecord } from './http/request-log.ts';
import type { Route } from './http/route.ts';
import { HttpServer } from './http/server.ts';
import { makeStartImportProgram, openImports, type StartImportProgram } from './imports/import-runner.ts';
import { paperlessRoutes } from './paperless/routes.ts';
import { OcrLanguages } from './queue/routes.ts';
import { type ApiServices, allRoutes, forPaperless } from './routes.ts';
import { makeSearchMetrics } from './search/routes.ts';
import { UserImportRunner } from './users/user-imports.ts';

const baseUrl = ({ host, port }: { host: string; port: number }): string => {
  const isAny = host === '0.0.0.0' || host === '::';
  return `http://${isAny ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
};

const firstAdministratorNotice = (url: string, setupCode: string): string[] => [
  `No user exists yet. Open ${url} or create the first administrator from this machine:`,
  `  curl -X POST ${url}/api/auth/register -H 'Content-Type: application/json' \\`,
  `    -d '{"username":"admin","email":"admin@example.org","password":"CHOOSE-ONE"}'`,
  `From another machine or through a proxy, this requires the setup code ${setupCode} (field setup_code).`,
  'Or start once with ADMIN_PASSWORD set, which creates the user admin.',
];

/** Uploads whose contents are inspected at the same time. */
const TYPE_CHECK_THREADS = 2;

/** E-invoices that are shown at the same time. */
const EINVOICE_THREADS = 2;

/** What tests compose otherwise than the service. */
export interface ComposeOptions {
  readonly makeIdentity?: (deps: IdentityDeps) => Identity;
  readonly furtherRoutes?: readonly Route[];
  readonly eventLimits?: Partial<EventLimits>;
  readonly startImport?: StartImportProgram;
}

const NO_OPTIONS: Required<ComposeOptions> = {
  makeIdentity: (deps) => new Identity(deps),
  furtherRoutes: [],
  eventLimits: {},
  startImport: makeStartImportProgram(),
};

/** Readiness follows a folder that becomes read-only within 5 seconds, with the second that its answer is kept and a look on a busy machine. */
const LOCAL_LOOK_MS = 2_000;

/** The api from its settings to its components. */
export const composeApi = async (context: ProgramContext, options: ComposeOptions = {}): Promise<ProgramParts> => {
  const { config, settings, database, log, registry, tracer, clock, self } = context;
  const { makeIdentity, furtherRoutes, eventLimits, startImport } = { ...NO_OPTIONS, ...options };
  const { db } = database;
  const storage = await openStorage(config.storage, { hasLocalDocuments: () => hasLocalDocuments(db) });
  const storageHealth = new StorageHealth(storage, log, config.storage.type === 'local' ? LOCAL_LOOK_MS : undefined);
  registerCountedMetrics(registry, db, log);
  usePasswordCores(config.resources.cores);
  const ldap = config.ldap && new LdapDriver(config.ldap, log);
  const audit = makeAudit(select(settings, ({ notifications }) => notifications.policy));
  const identity = makeIdentity({
    ...identityDeps(config, settings, database, { clock, log, ldap }),
    audit: countSignIns(registry, audit),
  });
  const accounts = openAccounts({ config, settings, audit, db, sessions: identity.sessionEnd, clock, log });
  const userImports = new UserImportRunner({ db, config, accounts, clock, log });
  const fetch = makeGuardedFetch(config.outbound, { userAgent: `Sheaf/${VERSION}` });
  const systemMeter = new SystemMeter({
    folders: [config.storage.path, config.storage.tempPath, config.dataPath],
    connections: () => server.connections(),
  });
  const queue = new QueueGate(
    db,
    select(settings, ({ resources }) => resources.queueSize),
  );
  const typeCheck = new TypeCheck({ threads: TYPE_CHECK_THREADS }, log);
  const einvoiceFiles = new EinvoiceFiles({ threads: EINVOICE_THREADS }, log);
  const cache = openCache(
    select(settings, ({ resources }) => resources.cache),
    registry,
  );
  const takeHealthSnapshot = openHealthSnapshots({ config, database, storageHealth, ready: self.ready, clock, queue });
  const documentSignatures = makeDocumentSignatures({ config, storage, cache, slots: new FairSlots(config.resources.cores) });
  const making = new FairSlots(config.resources.cores / 2);
  const pictures = new PictureMaker({
    scratchPath: join(config.storage.tempPath, 'pictures'),
    limits: config.ocr.limits,
    processes: config.resources.cores,
  });
  const searchablePdfs = new SearchablePdfs({ config, db, storage, pictures, signatures: documentSignatures, slots: making });
  const pageArranger = new PageArranger({
    config,
    storage,
    pictures,
    slots: new FairSlots(config.resources.cores / 2),
    limits: select(settings, ({ ingest, ocr }) => ({
      maxFileBytes: Math.min(ingest.maxFileBytes, ocr.maxPdfBytes),
      maxPages: ocr.maxPages,
    })),
  });
  const services: ApiServices = {
    config,
    base: { database, cursors: new Cursors(config.sessions.secret), clock, log },
    accounts: {
      identity,
      accounts,
      audit,
      userImports,
      registrationEnabled: select(settings, ({ signIn }) => signIn.registrationEnabled),
      watchDirectories: config.watch.perUser.enabled ? { db, baseFolder: config.watch.perUser.baseFolder, clock, log } : undefined,
      federation: openFederation(config, { db, clock, log, fetch }, { config, identity }),
    },
    documents: {
      storage,
      ingest: {
        db,
        storage,
        temp: new TempArea(config.storage.tempPath),
        settings: select(settings, ({ ingest }) => ingest),
        queue,
        typeCheck,
      },
      thumbnails: new Thumbnails({ config, db, storage, cache, pictures, drawing: new FairSlots(config.resources.cores) }),
      searchablePdfs,
      documentSignatures,
      pageArranger,
      einvoices: makeEinvoiceSource({ config, storage, files: einvoiceFiles }),
      languages: new OcrLanguages({ config, db, clock }),
      trashRetentionMs: select(settings, (current) => current.storage.trashRetentionMs),
    },
    search: { searchMetrics: makeSearchMetrics(registry) },
    outbound: { fetch, publicFetch: makePublicFetch(config.outbound, { userAgent: `Sheaf/${VERSION}` }) },
    monitoring: {
      takeHealthSnapshot,
      statusReport: openStatusReport({ database, takeHealthSnapshot }),
      isStopping: () => server.isStopping,
      registry,
      cache,
      systemMeter,
      diskWarningShare: select(settings, ({ monitoring }) => monitoring.diskShare),
    },
    settings: { feed: settings, defaultLanguage: select(settings, ({ ingest }) => ingest.defaultLanguage) },
  };
  const routes = [
    ...allRoutes(services),
    ...(config.features.paperlessApi ? paperlessRoutes(forPaperless(services)) : []),
    ...furtherRoutes,
  ];
  const { rateLimit, components: rateLimitComponents } = openRateLimit({
    db,
    settings: select(settings, (current) => current.rateLimit),
    registry,
    clock,
    log,
    processId: self.id,
  });
  const authenticator = new Authenticator({ identity, rateLimit, config });
  const replica = openReadReplica(config, database, log);
  const reads = new ReadDatabase(db, replica, config, registry);
  const events = openEvents(
    {
      config,
      database,
      identity,
      authenticator,
      rateLimit,
      registry,
      clock,
      log,
    },
    { ...EVENT_LIMITS, ...eventLimits, all: select(settings, ({ websocket }) => websocket.maxConnections) },
    async () => replica?.noteChange(),
  );
  const record = openRequestRecord(log, registry);
  const app = makeApp({ routes, events: events.requests }, { config, authenticator, rateLimit, reads, tracer, record, log, clock });
  const server = new HttpServer(withConstantAnswers(app, routes, config, record), config.server, events.upgrades(app));
  const firstAdministrator = {
    name: 'first-administrator',
    start: async () => {
      if (config.signIn.adminPassword !== undefined) await accounts.registration.makeConfiguredAdministrator(config.signIn.adminPassword);
    },
    stop: async () => {},
  };
  const directory = { name: 'directory', start: async () => {}, stop: async () => ldap?.[Symbol.dispose]() };
  return {
    components: [
      ...(replica === undefined ? [] : [replica]),
      storageHealth,
      typeCheck,
      einvoiceFiles,
      pictures,
      searchablePdfs,
      firstAdministrator,
      directory,
      systemMeter,
      ...identity.components(),
      lettersOf(accounts),
      ...rateLimitComponents,
      ...events.feed,
      userImports,
      ...openImports({ db, databaseUrl: database.directUrl, config, clock, log, start: startImport }),
      ...openExporter({ config, database, registry, clock, log }),
      server,
      events.connections,
      // the first to stop: whoever sends requests here is told before anything is missing
      { name: 'readiness', start: async () => {}, stop: async () => server.announceStop() },
    ],
    probeAddress: () => server.address(),
    notices: async () => {
      const url = baseUrl(server.address());
      return (await hasUsers(db)) ? [] : firstAdministratorNotice(url, setupCodeOf(config.signIn.appSecretKey));
    },
  };
};

/** The replica that DATABASE_READ_URL names, if any, with as many connections as the primary has here. */
const openReadReplica = ({ database: settings, readDatabaseUrl, server }: FixedConfig, primary: Database, log: Logger) => {
  if (readDatabaseUrl === undefined) return undefined;
  const url = completeDatabaseUrl(readDatabaseUrl, settings);
  const limits = { statementTimeoutMs: server.requestTimeoutMs, applicationName: 'sheaf api reads' };
  return new ReadReplica({ primary, replica: openDatabase({ ...settings, ...limits, url }, log), log });
};

/** The memory cache of the api, and how it is used. */
const openCache = (limits: Live<CacheLimits>, registry: Registry): MemoryCache => {
  const count = (name: string, help: string) => new Counter({ name, help, labelNames: ['cache'], registers: [registry] });
  const lookups = {
    hit: count('sheaf_cache_hits_total', 'Cache hits'),
    miss: count('sheaf_cache_misses_total', 'Cache misses'),
  };
  const cache = new MemoryCache(limits, { onLookup: (area, outcome) => lookups[outcome].inc({ cache: area }) });
  const kept: Gauge = new Gauge({
    name: 'sheaf_cache_bytes',
    help: 'Size of the memory cache in bytes',
    registers: [registry],
    collect: () => kept.set(cache.bytes),
  });
  return cache;
};

interface AccountParts {
  readonly config: Pick<FixedConfig, 'signIn' | 'mail' | 'publicUrl'>;
  readonly settings: Live<Config>;
  readonly audit: Audit;
  readonly db: Db;
  /** What a change of a user does to what they are signed in with. */
  readonly sessions: SessionEnd;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What users' accounts are made and changed with, from the settings. */
const openAccounts = ({ config, settings, audit, db, sessions, clock, log }: AccountParts): Accounts => {
  const mailer = config.mail === undefined ? undefined : new Mailer(config.mail);
  return makeAccounts({
    db,
    clock,
    log,
    mail: { send: mailer && ((letter) => mailer.send(letter)), publicUrl: config.publicUrl },
    sessions,
    audit,
    roles: config.signIn.roles,
    settings: select(settings, ({ signIn }) => signIn),
  });
};

/** Lets the letters that are on their way leave before the process ends. */
const lettersOf = ({ emailVerification }: Accounts): Component => ({
  name: 'letters',
  start: async () => {},
  stop: () => emailVerification.settled(),
});

type IdentityConfig = Pick<FixedConfig, 'signIn' | 'tokens' | 'sessions' | 'apiKeys' | 'secondFactor' | 'oidc' | 'ldap' | 'saml'>;

const identitySettings = (
  { signIn, tokens, sessions, apiKeys, secondFactor, oidc, ldap, saml }: IdentityConfig,
  settings: Live<Config>,
): IdentitySettings => {
  const autoCreate = signIn.autoCreateUsers;
  return {
    ...signIn,
    defaultRole: select(settings, (current) => current.signIn.defaultRole),
    emailVerificationRequired: select(settings, (current) => current.signIn.emailVerificationRequired),
    lockout: select(settings, (current) => current.signIn.lockout),
    tokens: { ...tokens, lifeMs: select(settings, (current) => current.tokens.lifeMs) },
    sessions: { ...sessions, maxConcurrent: select(settings, (current) => current.sessions.maxConcurrent) },
    apiKeys: { ...apiKeys, lifeMs: select(settings, (current) => current.apiKeys.lifeMs) },
    secondFactor,
    external: {
      oidc: { adminGroup: oidc?.adminGroup, mapping: oidc?.groupRoles ?? {}, autoCreate: autoCreate || oidc?.autoCreateUsers === true },
      ldap: { adminGroup: ldap?.adminGroup, mapping: ldap?.groupRoles ?? {}, autoCreate },
      saml2: { adminGroup: saml?.adminGroup, mapping: {}, autoCreate },
    },
  };
};

/** What the identity service is made from, by the settings. */
export const identityDeps = (
  config: IdentityConfig,
  settings: Live<Config>,
  database: Database,
  { clock, log, ldap }: { clock: Clock; log: Logger; ldap?: LdapDriver | undefined },
): IdentityDeps => ({
  db: database.db,
  databaseUrl: database.directUrl,
  clock,
  log,
  settings: identitySettings(config, settings),
  ldap,
  signsInByLdap: config.signIn.method === 'ldap',
});
