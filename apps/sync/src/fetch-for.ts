import { type Db, readRoles } from '@sheaf/db';
import type { Source } from '@sheaf/db/schema';
import type { GuardedFetch } from '@sheaf/outbound';
import { fetchByTrust, isPlaceOfAdministrators } from '@sheaf/sources';
import { type ConfiguredRoles, rolesForAll } from '@sheaf/vocabulary/permissions';

export interface FetchForDeps {
  readonly db: Db;
  /** Reaches private networks, as far as the configuration lets it. */
  readonly open: GuardedFetch;
  readonly publicOnly: GuardedFetch;
  readonly roles: ConfiguredRoles;
}

/** The client for the requests of a source: private networks are open only to sources of administrators and to others at the same place. */
export const makeFetchFor =
  ({ db, open, publicOnly, roles }: FetchForDeps): ((source: Source) => GuardedFetch) =>
  (source) =>
    fetchByTrust(open, publicOnly, async () =>
      isPlaceOfAdministrators(db, source, rolesForAll(await readRoles(db, roles), 'sources.update')),
    );
