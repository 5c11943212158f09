import type { FixedConfig } from '@sheaf/config';

const HOST_PREFIX = '__Host-';

/**
 * What a cookie is called in the browser. A `Secure` one has the prefix that keeps neighbouring hosts from writing it. Choice: a
 * cookie of another name is not read beside it, or such a host could still bring a session of its own; browsers that were signed in
 * before sign in once more.
 */
export const cookieName = (base: string, { secure }: Pick<FixedConfig['sessions']['cookie'], 'secure'>, isSecure: boolean): string =>
  (secure ?? isSecure) && !base.startsWith('__') ? HOST_PREFIX + base : base;
