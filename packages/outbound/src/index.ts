export {
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedRequest,
  type GuardedResponse,
  makeGuardedFetch,
} from './guarded-fetch.ts';
export { OutboundError, type OutboundErrorCode } from './outbound-error.ts';
export { makeAddressCheck, type OutboundPolicy } from './outbound-policy.ts';
