import type { Identity } from '@sheaf/accounts';
import type { Database } from '@sheaf/db';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';

/** What the routes of roles use. */
export interface RoleServices {
  readonly database: Database;
  readonly configured: ConfiguredRoles;
  readonly identity: Pick<Identity, 'forgetAll'>;
}
