import type { Db } from '@sheaf/db';
import type { Source } from '@sheaf/db/schema';
import type { GuardedFetch } from '@sheaf/outbound';
import { fetchByTrust, isPlaceOfAdministrators } from '@sheaf/sources';
import { type RolePermissions, rolesForAll } from '@sheaf/vocabulary/permissions';

export interface FetchForDeps {
  readonly db: Db;
  /** Reaches private networks, as far as the configuration lets it. */
  readonly open: GuardedFetch;
  readonly publicOnly: GuardedFetch;
  readonly roles: RolePermissions;
}

/** The client for the requests of a source: private networks are open only to sources of administrators and to others at the same place. */
export const makeFetchFor =
  ({ db, open, publicOnly, roles }: FetchForDeps): ((source: Source) => GuardedFetch) =>
  (source) =>
    fetchByTrust(open, publicOnly, () => isPlaceOfAdministrators(db, source, rolesForAll(roles, 'sources.update')));
