import type { Accounts, Identity } from '@sheaf/accounts';
import type { Audit } from '@sheaf/accounts/users';
import type { FixedConfig } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import type { Clock } from '@sheaf/process';
import type { WatchDirectoryDeps } from '@sheaf/watch';
import type { Cursors } from '../http/cursor.ts';
import type { UserImportRunner } from './user-import-runner.ts';

/** What the routes of users use. */
export interface UserServices {
  readonly config: Pick<FixedConfig, 'publicUrl' | 'server' | 'signIn'>;
  readonly database: Database;
  readonly accounts: Accounts;
  /** Writes the audit log, and tells users of what concerns them. */
  readonly audit: Audit;
  readonly identity: Pick<Identity, 'reauthenticator' | 'mfa'>;
  /** Undefined where users have no watch directories (ENABLE_PER_USER_WATCH=false). */
  readonly watchDirectories: WatchDirectoryDeps | undefined;
  readonly cursors: Cursors;
  readonly clock: Clock;
}

/** What the routes of imports of users use. */
export interface UserImportServices extends Pick<UserServices, 'config' | 'database' | 'accounts' | 'cursors'> {
  /** Does the imports that were stored. */
  readonly userImports: Pick<UserImportRunner, 'nudge'>;
}
