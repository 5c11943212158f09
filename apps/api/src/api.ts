import { hasLocalDocuments, hasUsers } from '@sheaf/db';
import { Identity, LdapDriver } from '@sheaf/identity';
import { type ProgramContext, type ProgramParts, VERSION } from '@sheaf/program';
import { makeGuardedFetch } from '@sheaf/runtime';
import { openStorage, StorageHealth, TempArea } from '@sheaf/storage';
import { lettersOf, openAccounts } from './accounts.ts';
import { makeApp } from './app.ts';
import { openFederation } from './auth/federation.ts';
import { registerDeliveryMetrics } from './deliveries/delivery-metrics.ts';
import type { ApiDeps } from './deps.ts';
import { openEvents } from './events/open-events.ts';
import { makeRateLimit } from './http/rate-limit.ts';
import { HttpServer } from './http/server.ts';
import { identityDeps } from './identity.ts';
import { registerLedgerMetric } from './ingest/ledger-metric.ts';
import { allRoutes } from './routes.ts';
import { registerSourceMetrics } from './sources/source-metrics.ts';

const baseUrl = ({ host, port }: { host: string; port: number }): string => {
  const isAny = host === '0.0.0.0' || host === '::';
  return `http://${isAny ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
};

const firstAdministratorNotice = (url: string): string[] => [
  'No user exists yet. Make the first administrator:',
  `  curl -X POST ${url}/api/auth/register -H 'Content-Type: application/json' \\`,
  `    -d '{"username":"admin","email":"admin@example.org","password":"CHOOSE-ONE"}'`,
  'or start once with ADMIN_PASSWORD set, which makes the user admin.',
];

/** The api from its settings to its components. */
export const makeApi = async ({ config, database, log, registry, clock, ready }: ProgramContext): Promise<ProgramParts> => {
  const { db } = database;
  const storage = await openStorage(config.storage, { hasLocalDocuments: () => hasLocalDocuments(db) });
  const storageHealth = new StorageHealth(storage, log);
  registerLedgerMetric(registry, db, log);
  registerSourceMetrics(registry, db, log);
  registerDeliveryMetrics(registry, db, log);
  const ldap = config.ldap && new LdapDriver(config.ldap, log);
  const identity = new Identity(identityDeps(config, database, { clock, log, ldap }));
  const accounts = openAccounts({ config, db, sessions: identity.sessionEnd, clock, log });
  const fetch = makeGuardedFetch(config.outbound, { userAgent: `Sheaf/${VERSION}` });
  const deps: ApiDeps = {
    config,
    database,
    storage,
    storageHealth,
    ingest: { db, storage, temp: new TempArea(config.storage.tempPath), settings: config.ingest },
    watchDirectories: config.watch.perUser.enabled ? { db, baseFolder: config.watch.perUser.baseFolder, clock, log } : undefined,
    identity,
    accounts,
    rateLimit: makeRateLimit(config),
    fetch,
    log,
    clock,
    registry,
    ready,
  };
  const federation = openFederation(config, { db, clock, log, fetch }, deps);
  const events = openEvents(deps);
  const app = makeApp(allRoutes(config, federation), deps, events.requests);
  const server = new HttpServer(app, config.server, events.upgrades(app));
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
      storageHealth,
      firstAdministrator,
      directory,
      ...identity.components(),
      lettersOf(accounts),
      ...events.feed,
      server,
      events.connections,
    ],
    probeAddress: () => server.address(),
    notices: async () => {
      const url = baseUrl(server.address());
      return (await hasUsers(db)) ? [] : firstAdministratorNotice(url);
    },
  };
};
