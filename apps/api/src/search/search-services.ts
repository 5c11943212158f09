import type { FixedConfig } from '@sheaf/config';
import type { Clock } from '@sheaf/process';
import type { Cursors } from '../http/cursor.ts';
import type { SearchMetrics } from './search-metrics.ts';

/** What the routes of the search use. */
export interface SearchServices {
  readonly config: Pick<FixedConfig, 'features'>;
  readonly searchMetrics: SearchMetrics;
  readonly cursors: Cursors;
  readonly clock: Clock;
}
