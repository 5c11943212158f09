import type { Config } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import type { Identity } from '@sheaf/identity';
import type { Clock } from '@sheaf/process';
import type { Cursors } from '../http/cursor.ts';

/** What the routes of signing in use. */
export interface AuthServices {
  readonly config: Config;
  readonly database: Database;
  readonly identity: Identity;
  readonly cursors: Cursors;
  readonly clock: Clock;
}
