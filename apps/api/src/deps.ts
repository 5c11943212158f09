import type { Config } from '@sheaf/config';
import type { ComponentHealth } from '@sheaf/contract';
import type { Database } from '@sheaf/db';
import type { FairSlots } from '@sheaf/extraction/thumbnail';
import type { Accounts, Identity } from '@sheaf/identity';
import type { IngestDeps } from '@sheaf/ingest';
import type { SettingsFeed } from '@sheaf/program';
import type { Clock, GuardedFetch, Logger, MemoryCache, Registry, Tracer } from '@sheaf/runtime';
import type { Storage, StorageHealth } from '@sheaf/storage';
import type { WatchDirectoryDeps } from '@sheaf/watch-directory';
import type { SystemMeter } from './analytics/system-meter.ts';
import type { LookAround } from './health/health.ts';
import type { StatusReport } from './health/status-report.ts';
import type { RateLimit } from './http/rate-limit.ts';
import type { SearchMetrics } from './search/search-metrics.ts';

/** What the handlers of the api use. Built once, in main.ts. */
export interface ApiDeps {
  /** Each value is the one of the moment in which it is read. */
  readonly config: Config;
  /** The settings that the database holds. */
  readonly feed: SettingsFeed;
  readonly database: Database;
  readonly storage: Storage;
  readonly storageHealth: StorageHealth;
  readonly ingest: IngestDeps;
  /** Undefined where users have no watch directories (ENABLE_PER_USER_WATCH=false). */
  readonly watchDirectories: WatchDirectoryDeps | undefined;
  readonly identity: Identity;
  readonly accounts: Accounts;
  /** Pictures of documents are drawn in these: as many at the same time as there are cores to use. */
  readonly drawing: FairSlots;
  readonly rateLimit: RateLimit;
  /** Requests to elsewhere. */
  readonly fetch: GuardedFetch;
  /** The same without private networks: for what people who do not administer the service have asked for. */
  readonly publicFetch: GuardedFetch;
  readonly log: Logger;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly tracer: Tracer;
  readonly ready: () => Promise<ComponentHealth>;
  /** Whether this process was asked to stop: it ends what it has begun, and is ready for nothing new. */
  readonly isStopping: () => boolean;
  /** The state of the whole service, a second old at most. */
  readonly lookAround: LookAround;
  readonly statusReport: () => Promise<StatusReport>;
  readonly searchMetrics: SearchMetrics;
  /** Answers that are kept for a while. Who asks is part of the key wherever it makes a difference. */
  readonly cache: MemoryCache;
  readonly systemMeter: SystemMeter;
}
