import type { Secret } from '@sheaf/contract';
import type { Source } from '@sheaf/db/schema';
import type { GuardedFetch } from '@sheaf/outbound';
import { makeDriver, openSourceSecret, type SourceDriver, SourceError, toDriverSettings } from '@sheaf/sources';

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
