import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@sheaf/config';
import type { Principal } from '@sheaf/contract';
import type { Database } from '@sheaf/db';
import { FairSlots } from '@sheaf/extraction/thumbnail';
import { type Credentials, type FoundPrincipal, Identity, type IdentityDeps } from '@sheaf/identity';
import { QueueGate } from '@sheaf/ingest';
import { SettingsFeed } from '@sheaf/program';
import { makeGuardedFetch, makeRegistry, NO_TRACER, silentLogger, systemClock } from '@sheaf/runtime';
import { makePublicFetch } from '@sheaf/sources';
import { LocalStorage, StorageHealth, TempArea } from '@sheaf/storage';
import { openAccounts } from '../../apps/api/src/accounts.ts';
import { SystemMeter } from '../../apps/api/src/analytics/system-meter.ts';
import { makeApp } from '../../apps/api/src/app.ts';
import { EVENT_LIMITS, type EventLimits } from '../../apps/api/src/events/event-limits.ts';
import { openEvents } from '../../apps/api/src/events/open-events.ts';
import { openLookAround } from '../../apps/api/src/health/health.ts';
import { openStatusReport } from '../../apps/api/src/health/status-report.ts';
import { makeRateLimit } from '../../apps/api/src/http/rate-limit.ts';
import type { Route } from '../../apps/api/src/http/route.ts';
import { HttpServer } from '../../apps/api/src/http/server.ts';
import { identityDeps } from '../../apps/api/src/identity.ts';
import { openCache } from '../../apps/api/src/memory-cache.ts';
import { allRoutes } from '../../apps/api/src/routes.ts';
import { makeSearchMetrics } from '../../apps/api/src/search/search-metrics.ts';
import { typeCheck } from './type-check.ts';

/** Permissions of some users by name; all others have those of their role. */
export type PermissionsByName = Readonly<Record<string, readonly string[]>>;

class GivenPermissions extends Identity {
  readonly #given: PermissionsByName;

  constructor(deps: IdentityDeps, given: PermissionsByName) {
    super(deps);
    this.#given = given;
  }

  override async authenticate(credentials: Credentials): Promise<Principal | undefined> {
    const principal = await super.authenticate(credentials);
    return principal && this.#withPermissions(principal);
  }

  override async look(credentials: Credentials): Promise<FoundPrincipal | undefined> {
    const found = await super.look(credentials);
    return found && { ...found, principal: this.#withPermissions(found.principal) };
  }

  #withPermissions(principal: Principal): Principal {
    return { ...principal, permissions: this.#given[principal.username] ?? principal.permissions };
  }
}

export interface ApiWithPermissions extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/**
 * The api in this process, on `database`, with permissions that no built-in role has, and with `further` routes. `limits` are of the
 * connections for events.
 */
export const startApiWithPermissions = async (
  database: Database,
  given: PermissionsByName,
  further: readonly Route[] = [],
  limits: Partial<EventLimits> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<ApiWithPermissions> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-api-'));
  const loaded = loadConfig({
    environment: {
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'uploads'),
      WATCH_FOLDER: join(folder, 'watch'),
      USER_WATCH_BASE_DIR: join(folder, 'user_watch'),
      PROCESSED_FILES_DIR: join(folder, 'processed'),
      SERVER_ADDRESS: '127.0.0.1:0',
      RATE_LIMIT_ENABLED: 'false', // a test makes more requests in a minute than a person does
      ...environment,
    },
  });
  const { config } = loaded;
  const { db } = database;
  const log = silentLogger();
  const registry = makeRegistry('api');
  const storage = new LocalStorage(config.storage);
  const identity = new GivenPermissions(identityDeps(config, database, { clock: systemClock, log }), given);
  const storageHealth = new StorageHealth(storage, log);
  const ready = async () => ({ status: 'healthy' }) as const;
  const lookAround = openLookAround({
    config,
    database,
    storageHealth,
    ready,
    clock: systemClock,
    queue: new QueueGate(db, () => undefined),
  });
  const deps = {
    config,
    feed: new SettingsFeed({ loaded, database, log }),
    isStopping: () => false,
    database,
    storage,
    storageHealth,
    ingest: { db, storage, temp: new TempArea(config.storage.tempPath), settings: config.ingest, typeCheck },
    watchDirectories: undefined,
    identity,
    accounts: openAccounts({ config, db, sessions: identity.sessionEnd, clock: systemClock, log }),
    drawing: new FairSlots(config.resources.cores),
    cache: openCache(config.resources.cache, registry),
    systemMeter: new SystemMeter({ folders: [folder], connections: async () => 0 }),
    rateLimit: makeRateLimit(config),
    fetch: makeGuardedFetch(config.outbound, { userAgent: 'Sheaf' }),
    publicFetch: makePublicFetch(config.outbound, { userAgent: 'Sheaf' }),
    log,
    clock: systemClock,
    registry,
    tracer: NO_TRACER,
    ready,
    lookAround,
    statusReport: openStatusReport({ database, lookAround }),
    searchMetrics: makeSearchMetrics(registry),
  };
  const events = openEvents(deps, { ...EVENT_LIMITS, ...limits });
  const app = makeApp([...allRoutes(config), ...further], deps, events.requests);
  const server = new HttpServer(app, config.server, events.upgrades(app));
  const components = [...identity.components(), ...events.feed, server, events.connections];
  for (const component of components) await component.start();
  const { port } = server.address();
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      for (const component of components.toReversed()) await component.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
