export {
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedRequest,
  type GuardedResponse,
  makeAddressCheck,
  makeGuardedFetch,
  type OutboundPolicy,
} from './guarded-fetch.ts';
export { OutboundError, type OutboundErrorCode } from './outbound-redirect.ts';
