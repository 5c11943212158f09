import { hasUsers } from '@sheaf/db';
import { Identity } from '@sheaf/identity';
import type { ProgramContext, ProgramParts } from '@sheaf/program';
import { LocalStorage, StorageHealth, TempArea } from '@sheaf/storage';
import { makeApp } from './app.ts';
import type { ApiDeps } from './deps.ts';
import { HttpServer } from './http/server.ts';
import { allRoutes } from './routes.ts';

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
export const makeApi = ({ config, database, log, registry, clock, ready }: ProgramContext): ProgramParts => {
  const { db } = database;
  const storage = new LocalStorage(config.storage);
  const storageHealth = new StorageHealth(storage, log);
  const identity = new Identity({ db, clock, log, settings: config.signIn });
  const deps: ApiDeps = {
    config,
    database,
    storage,
    storageHealth,
    ingest: { db, storage, temp: new TempArea(config.storage.tempPath), settings: config.ingest },
    identity,
    log,
    clock,
    registry,
    ready,
  };
  const server = new HttpServer(makeApp(allRoutes(config), deps), config.server);
  const firstAdministrator = {
    name: 'first-administrator',
    start: async () => {
      if (config.signIn.adminPassword !== undefined) await identity.makeConfiguredAdministrator(config.signIn.adminPassword);
    },
    stop: async () => {},
  };
  return {
    components: [storageHealth, firstAdministrator, server],
    probeAddress: () => server.address(),
    notices: async () => {
      const url = baseUrl(server.address());
      return (await hasUsers(db)) ? [] : firstAdministratorNotice(url);
    },
  };
};
