import type { FixedConfig } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import type { GuardedFetch } from '@sheaf/outbound';
import type { Clock } from '@sheaf/process';
import type { Cursors } from '../http/cursor.ts';

/** What the routes of sources use. */
export interface SourceServices {
  readonly config: Pick<FixedConfig, 'signIn' | 'sources'>;
  readonly database: Database;
  /** Requests to elsewhere. */
  readonly fetch: GuardedFetch;
  /** The same without private networks: for what people who do not administer the service have asked for. */
  readonly publicFetch: GuardedFetch;
  readonly cursors: Cursors;
  readonly clock: Clock;
}
