import type { FixedConfig } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import type { Clock } from '@sheaf/process';
import type { Cursors } from '../http/cursor.ts';

/** What the routes of imports use. */
export interface ImportServices {
  readonly config: Pick<FixedConfig, 'imports' | 'signIn' | 'storage'>;
  readonly database: Database;
  readonly cursors: Cursors;
  readonly clock: Clock;
}
