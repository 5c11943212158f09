import type { Database } from '@sheaf/db';
import type { Identity } from '@sheaf/identity';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';

/** What the routes of roles use. */
export interface RoleServices {
  readonly database: Database;
  readonly configured: ConfiguredRoles;
  readonly identity: Pick<Identity, 'forgetAll'>;
}
