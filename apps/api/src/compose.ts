import { join } from 'node:path';
import { Identity, type IdentityDeps, LdapDriver, setupCodeOf, usePasswordCores } from '@sheaf/accounts';
import { hasUsers, makeAudit } from '@sheaf/accounts/users';
import { hasLocalDocuments } from '@sheaf/documents';
import { EinvoiceFiles } from '@sheaf/extraction/einvoice';
import { PictureMaker } from '@sheaf/extraction/pictures';
import { FairSlots } from '@sheaf/extraction/thumbnail';
import { QueueGate, TypeCheck } from '@sheaf/ingest';
import { makeGuardedFetch } from '@sheaf/outbound';
import { select } from '@sheaf/process';
import { type ProgramContext, type ProgramParts, VERSION } from '@sheaf/program';
import { makePublicFetch } from '@sheaf/sources';
import { openStorage, StorageHealth, TempArea } from '@sheaf/storage';
import { lettersOf, openAccounts } from './accounts.ts';
import { SystemMeter } from './analytics/system-meter.ts';
import { makeApp } from './app.ts';
import { openFederation } from './auth/federation.ts';
import { countSignIns } from './auth/sign-in-metric.ts';
import { registerCountedMetrics } from './counted-metrics.ts';
import { DocumentSignatures } from './documents/document-signatures.ts';
import { EinvoiceSource } from './documents/einvoice-source.ts';
import { PageArranger } from './documents/page-editing/page-arranger.ts';
import { SearchablePdfs } from './documents/searchable-pdfs.ts';
import { Thumbnails } from './documents/thumbnails.ts';
import { EVENT_LIMITS, type EventLimits } from './events/event-limits.ts';
import { openEvents } from './events/open-events.ts';
import { openExporter } from './exporter/open-exporter.ts';
import { openHealthSnapshots } from './health/health.ts';
import { openStatusReport } from './health/status-report.ts';
import { Authenticator } from './http/authenticate.ts';
import { withConstantAnswers } from './http/constant-answers.ts';
import { Cursors } from './http/cursor.ts';
import { openRateLimit } from './http/open-rate-limit.ts';
import { ReadDatabase } from './http/read-database.ts';
import { openRequestRecord } from './http/request-log.ts';
import type { Route } from './http/route.ts';
import { HttpServer } from './http/server.ts';
import { identityDeps } from './identity.ts';
import { makeStartImportProgram, type StartImportProgram } from './imports/import-program.ts';
import { openImports } from './imports/import-runner.ts';
import { openCache } from './memory-cache.ts';
import { paperlessRoutes } from './paperless/routes.ts';
import { OcrLanguages } from './queue/languages.ts';
import { openReadReplica } from './read-replica.ts';
import { type ApiServices, allRoutes, forPaperless } from './routes.ts';
import { makeSearchMetrics } from './search/search-metrics.ts';
import { UserImportRunner } from './users/user-import-runner.ts';

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

/** Readiness follows a folder that becomes read-only within 5 seconds; looking at one costs nothing. */
const LOCAL_LOOK_MS = 4_000;

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
  const documentSignatures = new DocumentSignatures({ config, storage, cache, slots: new FairSlots(config.resources.cores) });
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
      einvoices: new EinvoiceSource({ config, storage, files: einvoiceFiles }),
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
