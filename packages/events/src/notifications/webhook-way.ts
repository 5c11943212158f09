import type { Secret } from '@sheaf/contract';
import type { DeliveryPayload } from '@sheaf/db/schema';
import { type GuardedFetch, type GuardedResponse, OutboundError } from '@sheaf/outbound';
import type { Clock } from '@sheaf/process';
import { Webhook } from 'standardwebhooks';
import { type Attempt, type DeliveryWay, toErrorText } from './delivery-way.ts';

const PREFIX = 'whsec_';

/** The bytes of the key: `whsec_` and base64 as services of the convention give them out, or the bytes of any other text. */
const keyOf = (secret: string): Uint8Array =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : new TextEncoder().encode(secret);

/** Signs bodies in the way of Standard Webhooks: what it answers is the `webhook-signature`. */
const makeWebhookSigner = (secret: Secret): ((id: string, at: Date, body: string) => string) => {
  const webhook = new Webhook(keyOf(secret.reveal()), { format: 'raw' });
  return (id, at, body) => webhook.sign(id, at, body);
};

const TIMEOUT_MS = 15_000;
const GONE = 410;

interface WebhookSettings {
  readonly url: string;
  /** Undefined: they are not signed. */
  readonly secret: Secret | undefined;
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  /** For all of one attempt. */
  readonly timeoutMs?: number;
}

/** JSON in the database has no order; this is the one people expect. */
const toBody = ({ type, timestamp, data }: DeliveryPayload): string => JSON.stringify({ type, timestamp, data });

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

const toAttempt = (status: number): Attempt => {
  if (isSuccess(status)) return { kind: 'delivered', status };
  if (status === GONE) return { kind: 'undelivered', status, error: 'The receiver returned 410 Gone.', isFinal: true };
  return { kind: 'undelivered', status, error: `The receiver returned status ${status}.`, isFinal: false };
};

const wordsOf = (error: unknown): string => {
  if (error instanceof OutboundError && error.code === 'too_many_redirects')
    return 'The receiver returned a redirect, which is not followed. Set WEBHOOK_URL to the final URL.';
  return error instanceof Error ? error.message : String(error);
};

/** Nothing depends on what stands in an answer, and a large or slow one must cost nothing. */
const statusOf = ({ status, body }: GuardedResponse): number => {
  body.destroy();
  return status;
};

/**
 * Posts notifications to one address, in the way of Standard Webhooks. The id is the delivery's, the same at each attempt, so that
 * a receiver knows what it has already; the time is that of the attempt, as receivers refuse what is too old.
 */
export const makeWebhookWay = ({ url, secret, fetch, clock, timeoutMs = TIMEOUT_MS }: WebhookSettings): DeliveryWay => {
  const sign = secret && makeWebhookSigner(secret);
  const headersOf = (id: string, body: string): Record<string, string> => {
    const now = clock.now();
    return {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      ...(sign && { 'webhook-signature': sign(id, now, body) }),
    };
  };
  return {
    send: async ({ id, payload }, signal) => {
      const body = toBody(payload);
      const request = { method: 'POST', headers: headersOf(id, body), body, signal, timeoutMs, maxRedirects: 0 };
      try {
        return toAttempt(statusOf(await fetch(url, { ...request, maxResponseBytes: Number.MAX_SAFE_INTEGER })));
      } catch (error) {
        signal.throwIfAborted();
        return { kind: 'undelivered', status: null, error: toErrorText(wordsOf(error)), isFinal: false };
      }
    },
  };
};
