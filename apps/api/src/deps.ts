import type { Config } from '@sheaf/config';
import type { ComponentHealth } from '@sheaf/contract';
import type { Database } from '@sheaf/db';
import type { Accounts, Identity } from '@sheaf/identity';
import type { IngestDeps } from '@sheaf/ingest';
import type { Clock, GuardedFetch, Logger, Registry } from '@sheaf/runtime';
import type { Storage, StorageHealth } from '@sheaf/storage';
import type { WatchDirectoryDeps } from '@sheaf/watch-directory';
import type { RateLimit } from './http/rate-limit.ts';

/** What the handlers of the api use. Built once, in main.ts. */
export interface ApiDeps {
  readonly config: Config;
  readonly database: Database;
  readonly storage: Storage;
  readonly storageHealth: StorageHealth;
  readonly ingest: IngestDeps;
  /** Undefined where users have no watch directories (ENABLE_PER_USER_WATCH=false). */
  readonly watchDirectories: WatchDirectoryDeps | undefined;
  readonly identity: Identity;
  readonly accounts: Accounts;
  readonly rateLimit: RateLimit;
  /** Requests to elsewhere. */
  readonly fetch: GuardedFetch;
  readonly log: Logger;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly ready: () => Promise<ComponentHealth>;
}
