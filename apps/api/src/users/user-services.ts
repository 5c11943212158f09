import type { Config } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import type { Accounts, Identity } from '@sheaf/identity';
import type { Clock, Logger } from '@sheaf/process';
import type { WatchDirectoryDeps } from '@sheaf/watching';
import type { Cursors } from '../http/cursor.ts';

/** What the routes of users use. */
export interface UserServices {
  readonly config: Pick<Config, 'notifications' | 'publicUrl' | 'signIn'>;
  readonly database: Database;
  readonly accounts: Accounts;
  readonly identity: Pick<Identity, 'reauthenticator'>;
  /** Undefined where users have no watch directories (ENABLE_PER_USER_WATCH=false). */
  readonly watchDirectories: WatchDirectoryDeps | undefined;
  readonly cursors: Cursors;
  readonly clock: Clock;
  readonly log: Logger;
}
