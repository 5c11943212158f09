import { Buffer } from 'node:buffer';
import { Secret } from '@sheaf/contract';
import { openSecret, type SealContext, sealSecret } from '@sheaf/process';

/** By the source and not by its owner, so that it still opens when the source goes over to another user. */
const contextOf = (sourceId: string): SealContext => ({ ownerId: sourceId, purpose: 'source' });

/** The password or secret key of a source, encrypted for rest. It opens for this source alone. */
export const sealSourceSecret = (secret: string, sourceId: string, secretKey: Secret): string =>
  sealSecret(Buffer.from(secret, 'utf8'), secretKey, contextOf(sourceId));

/** What `sealSourceSecret` was given. Undefined when it is another source's, was altered, or APP_SECRET_KEY was another one then. */
export const openSourceSecret = (sealed: string, sourceId: string, secretKey: Secret): Secret | undefined => {
  const bytes = openSecret(sealed, secretKey, contextOf(sourceId));
  return bytes && new Secret(Buffer.from(bytes).toString('utf8'));
};
