import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@sheaf/config';
import type { Principal } from '@sheaf/contract';
import type { Database } from '@sheaf/db';
import { Identity, type IdentityDeps } from '@sheaf/identity';
import { makeRegistry, silentLogger, systemClock } from '@sheaf/runtime';
import { LocalStorage, StorageHealth, TempArea } from '@sheaf/storage';
import { makeApp } from '../../apps/api/src/app.ts';
import { HttpServer } from '../../apps/api/src/http/server.ts';
import { allRoutes } from '../../apps/api/src/routes.ts';

/** Permissions of some users by name; all others have those of their role. */
export type PermissionsByName = Readonly<Record<string, readonly string[]>>;

class GivenPermissions extends Identity {
  readonly #given: PermissionsByName;

  constructor(deps: IdentityDeps, given: PermissionsByName) {
    super(deps);
    this.#given = given;
  }

  override async authenticate(authorization: string | undefined): Promise<Principal | undefined> {
    const principal = await super.authenticate(authorization);
    return principal && { ...principal, permissions: this.#given[principal.username] ?? principal.permissions };
  }
}

export interface ApiWithPermissions extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/** The api in this process, on `database`, with permissions that no built-in role has. */
export const startApiWithPermissions = async (database: Database, given: PermissionsByName): Promise<ApiWithPermissions> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-api-'));
  const { config } = loadConfig({
    environment: {
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'uploads'),
      WATCH_FOLDER: join(folder, 'watch'),
      SERVER_ADDRESS: '127.0.0.1:0',
    },
  });
  const { db } = database;
  const log = silentLogger();
  const storage = new LocalStorage(config.storage);
  const deps = {
    config,
    database,
    storage,
    storageHealth: new StorageHealth(storage, log),
    ingest: { db, storage, temp: new TempArea(config.storage.tempPath), settings: config.ingest },
    identity: new GivenPermissions({ db, clock: systemClock, log, settings: config.signIn }, given),
    log,
    clock: systemClock,
    registry: makeRegistry('api'),
    ready: async () => ({ status: 'healthy' }) as const,
  };
  const server = new HttpServer(makeApp(allRoutes(config), deps), config.server);
  await server.start();
  const { port } = server.address();
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
