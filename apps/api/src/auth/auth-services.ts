import type { Identity, PasswordPolicy } from '@sheaf/accounts';
import type { FixedConfig } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import type { Clock, Live } from '@sheaf/process';
import type { Cursors } from '../http/cursor.ts';

/** What the routes of signing in use. */
export interface AuthServices {
  readonly config: FixedConfig;
  readonly database: Database;
  readonly identity: Identity;
  /** Whether everybody may make an account. */
  readonly registrationEnabled: Live<boolean>;
  readonly passwordPolicy: Live<PasswordPolicy>;
  readonly cursors: Cursors;
  readonly clock: Clock;
}
