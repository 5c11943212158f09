import type { Secret } from '@sheaf/contract';
import { type Db, readRoles } from '@sheaf/db';
import type { Source } from '@sheaf/db/schema';
import type { GuardedFetch } from '@sheaf/outbound';
import {
  fetchByTrust,
  isPlaceOfAdministrators,
  makeDriver,
  openSourceSecret,
  type SourceDriver,
  SourceError,
  toDriverSettings,
} from '@sheaf/sources';
import { type ConfiguredRoles, rolesForAll } from '@sheaf/vocabulary/permissions';

interface FetchForDeps {
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

const secretOf = ({ id, sealedSecret }: Source, secretKey: Secret): Secret | undefined => {
  if (sealedSecret === null) return undefined;
  const secret = openSourceSecret(sealedSecret, id, secretKey);
  if (secret !== undefined) return secret;
  throw new SourceError(
    'unauthorized',
    'The stored password cannot be decrypted because APP_SECRET_KEY has changed. Enter the password again.',
  );
};

/** Makes drivers of sources as they are kept. They throw SourceError where the source can have none. */
export const makeDriverOpener =
  (fetchFor: (source: Source) => GuardedFetch, secretKey: Secret, localRoots: readonly string[]) =>
  (source: Source): SourceDriver =>
    makeDriver(toDriverSettings(source, secretOf(source, secretKey), localRoots), { fetch: fetchFor(source) });
