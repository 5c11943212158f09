import type { FixedConfig } from '@sheaf/config';
import type { Database, Db } from '@sheaf/db';
import type { Clock, MemoryCache } from '@sheaf/process';
import type { SystemMeter } from './system-meter.ts';

/** What the routes of analytics use. */
export interface AnalyticsServices {
  readonly config: Pick<FixedConfig, 'features'>;
  readonly database: Database;
  /** Figures are kept in it for a while. Who asks is part of the key wherever it makes a difference. */
  readonly cache: MemoryCache;
  readonly systemMeter: Pick<SystemMeter, 'read'>;
  readonly clock: Clock;
}

/** What figures are read from, and kept in. */
export interface KeptReading extends Pick<AnalyticsServices, 'cache' | 'clock'> {
  readonly db: Db;
}
