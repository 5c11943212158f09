import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@sheaf/contract';

/**
 * What a page has to send with each change it makes by its session cookie. It belongs to one session, so that nobody can bring one
 * of his own, and follows from the session's id, so that it need not be kept.
 */
export const csrfTokenOf = (sessionId: string, secret: Secret): string =>
  createHmac('sha256', secret.reveal()).update(`sheaf:csrf:${sessionId}`).digest('base64url');

/** Whether `given` is the token of that session; in constant time. */
export const isCsrfToken = (given: string, sessionId: string, secret: Secret): boolean => {
  const [is, should] = [Buffer.from(given), Buffer.from(csrfTokenOf(sessionId, secret))];
  return is.length === should.length && timingSafeEqual(is, should);
};
