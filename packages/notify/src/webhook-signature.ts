import type { Secret } from '@sheaf/contract';
import { Webhook } from 'standardwebhooks';

const PREFIX = 'whsec_';

/** The bytes of the key: `whsec_` and base64 as services of the convention give them out, or the bytes of any other text. */
const keyOf = (secret: string): Uint8Array =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : new TextEncoder().encode(secret);

/** Signs bodies in the way of Standard Webhooks: what it answers is the `webhook-signature`. */
export const makeWebhookSigner = (secret: Secret): ((id: string, at: Date, body: string) => string) => {
  const webhook = new Webhook(keyOf(secret.reveal()), { format: 'raw' });
  return (id, at, body) => webhook.sign(id, at, body);
};
