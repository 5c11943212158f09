// What only the tests of this package import: production code uses the index.
export { RETRY_DELAYS_MS, retryAfterMs } from './deliverer.ts';
export { toNotificationMail } from './delivery-ways.ts';
