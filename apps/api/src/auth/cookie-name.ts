import type { FixedConfig } from '@sheaf/config';

const HOST_PREFIX = '__Host-';

/**
 * What a cookie is called in the browser. A `Secure` one of the usual name has the prefix that keeps neighbouring hosts from writing
 * it; a name that somebody configured is used as it is, and may have the prefix itself. Choice: a cookie of another name is not read
 * beside it, or such a host could still bring a session of its own; browsers that were signed in before sign in once more.
 */
export const cookieName = (
  base: string,
  { secure, hasGivenName }: Pick<FixedConfig['sessions']['cookie'], 'secure' | 'hasGivenName'>,
  isSecure: boolean,
): string => ((secure ?? isSecure) && !hasGivenName ? HOST_PREFIX + base : base);
