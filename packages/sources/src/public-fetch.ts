import { type GuardedFetch, type GuardedFetchOptions, makeGuardedFetch, OutboundError, type OutboundPolicy } from '@sheaf/outbound';

const HIDDEN: ReadonlySet<string> = new Set(['refused_address', 'dns']);

/** The same for a name that nobody knows, one of the inner network and an address of it, so that failures do not map that network. */
const notPublic = (host: string, cause: OutboundError): OutboundError =>
  new OutboundError(
    'refused_address',
    `${host} has no public address. Only administrators can use private networks outside OUTBOUND_ALLOWED_NETWORKS`,
    { cause },
  );

const hostOf = (url: string | URL): string => (URL.canParse(url) ? new URL(url).host : 'this address');

/**
 * The guarded client for those who do not administer this service: private networks are closed to it unless they are in
 * OUTBOUND_ALLOWED_NETWORKS, and nothing is sent there, so closed, open and silent ports do not differ.
 */
export const makePublicFetch = (policy: OutboundPolicy, options: GuardedFetchOptions): GuardedFetch => {
  const fetch = makeGuardedFetch({ allowedNetworks: policy.allowedNetworks, denyPrivate: true }, options);
  return async (url, request) => {
    try {
      return await fetch(url, request);
    } catch (error) {
      throw error instanceof OutboundError && HIDDEN.has(error.code) ? notPublic(hostOf(url), error) : error;
    }
  };
};

/** Takes `open` where `isTrusted` says so, and `publicOnly` otherwise. Asks once, with the first request. */
export const fetchByTrust = (open: GuardedFetch, publicOnly: GuardedFetch, isTrusted: () => Promise<boolean>): GuardedFetch => {
  let trusted: Promise<boolean> | undefined;
  return async (url, request) => {
    trusted ??= isTrusted();
    return (await trusted) ? open(url, request) : publicOnly(url, request);
  };
};
