import { join } from 'node:path';
import { loadConfig } from '@sheaf/config';
import { Secret } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { constant, makeRegistry, silentLogger, systemClock } from '@sheaf/process';
import { NO_TRACER } from '@sheaf/process/tracing';
import { type ComposeOptions, openSyncDeps, type SyncDeps } from '@sheaf/sync/testing';
import { loopbackFetch } from '../integration/sources/given-driver.ts';

/** What secrets of sources are sealed with. */
export const SYNC_SECRET_KEY = new Secret('k'.repeat(64));

/** What runs over sources on loopback need, storing in `folder`. */
export const composeSyncDeps = (
  db: Db,
  folder: string,
  environment: Readonly<Record<string, string>> = {},
  options: ComposeOptions = {},
): Promise<SyncDeps> => {
  const { config } = loadConfig({
    environment: {
      APP_SECRET_KEY: SYNC_SECRET_KEY.reveal(),
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'store'),
      TEMP_STORAGE_PATH: join(folder, 'temp'),
      ALLOWED_FILE_TYPES: 'txt,pdf',
      MAX_FILE_SIZE_MB: '1',
      ...environment,
    },
  });
  const context = {
    config,
    settings: constant(config),
    database: { db },
    clock: systemClock,
    log: silentLogger(),
    registry: makeRegistry('sync'),
    tracer: NO_TRACER,
  };
  return openSyncDeps(context, { fetchFor: () => loopbackFetch(), ...options });
};
