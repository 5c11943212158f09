import type { FixedConfig } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import type { Live, MemoryCache, Registry } from '@sheaf/process';
import type { Share } from '@sheaf/process/machine';
import type { TakeHealthSnapshot } from './health.ts';
import type { StatusReport } from './status-report.ts';

/** What the routes of health and monitoring use. */
export interface HealthServices {
  readonly config: Pick<FixedConfig, 'server' | 'signIn' | 'telemetry' | 'storage' | 'dataPath'>;
  readonly database: Database;
  readonly cache: MemoryCache;
  /** How full a disk may be. */
  readonly diskWarningShare: Live<Share>;
  /** The state of the whole service, a second old at most. */
  readonly takeHealthSnapshot: TakeHealthSnapshot;
  readonly statusReport: () => Promise<StatusReport>;
  /** Whether this process was asked to stop: it ends what it has begun, and is ready for nothing new. */
  readonly isStopping: () => boolean;
  readonly registry: Registry;
}
