// What only the tests of this package import: production code uses the index.
export { RETRY_DELAYS_MS, retryAfterMs } from './delivery-schedule.ts';
export { toNotificationMail } from './notification-mail.ts';
