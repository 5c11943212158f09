import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { ImportAttempts } from '@sheaf/ingest';
import { makeRegistry, NO_TRACER, silentLogger, systemClock } from '@sheaf/process';
import { LocalStorage, TempArea } from '@sheaf/storage';
import { makeDriverOpener } from '../../apps/sync/src/open-driver.ts';
import { Slots } from '../../apps/sync/src/slots.ts';
import type { SyncDeps, SyncSettings } from '../../apps/sync/src/sync-deps.ts';
import { makeSyncMetrics } from '../../apps/sync/src/sync-metrics.ts';
import { loopbackFetch } from '../integration/sources/given-driver.ts';
import { TOLD_HERE } from './notification-policies.ts';
import { typeCheck } from './type-check.ts';

/** What secrets of sources are sealed with. */
export const SYNC_SECRET_KEY = new Secret('k'.repeat(64));

/** What runs over sources on loopback need, storing in `folder`. Silent servers are given up after two seconds. */
export const makeSyncDeps = (
  db: Db,
  folder: string,
  settings: Partial<SyncSettings> = {},
  localRoots: readonly string[] = [],
): SyncDeps => ({
  settings: {
    types: ['webdav', 's3', 'local_folder'],
    ownerRoles: ['admin', 'editor'],
    allowedExtensions: ['txt', 'pdf'],
    maxFileBytes: 1024 * 1024,
    parallelDownloads: 5,
    maxPendingFiles: 50_000,
    ...settings,
  },
  ingest: {
    db,
    storage: new LocalStorage({ path: join(folder, 'store'), thumbnailPath: join(folder, 'thumbnails') }),
    temp: new TempArea(join(folder, 'temp')),
    settings: { maxAttempts: 4, defaultLanguage: 'eng', notifications: TOLD_HERE },
    typeCheck,
  },
  attempts: new ImportAttempts({ db, kind: 'source', log: silentLogger() }),
  openDriver: makeDriverOpener(() => loopbackFetch({ headersTimeoutMs: 2_000, idleTimeoutMs: 2_000 }), SYNC_SECRET_KEY, localRoots),
  alerts: { policy: TOLD_HERE, administratorRoles: ['admin'] },
  slots: new Slots(() => settings.parallelDownloads ?? 5),
  telemetry: { metrics: makeSyncMetrics(makeRegistry('sync')), tracer: NO_TRACER, log: silentLogger() },
  clock: systemClock,
});
