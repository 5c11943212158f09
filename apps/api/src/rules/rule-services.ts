import type { FixedConfig } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import type { Cursors } from '../http/cursor.ts';

/** What the routes of rules use. */
export interface RuleServices {
  readonly config: Pick<FixedConfig, 'signIn'>;
  readonly database: Database;
  readonly cursors: Cursors;
}
