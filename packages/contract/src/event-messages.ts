import { z } from 'zod';
import type { EventType } from './events.ts';
import type { UserBody } from './user.ts';

/** Every type there is: what can be subscribed to. */
export const EVENT_TYPES = Object.keys({
  document_created: true,
  document_updated: true,
  document_deleted: true,
  ocr_progress: true,
  ingest: true,
  sync_progress: true,
  notification: true,
  queue_status: true,
  alert: true,
} satisfies Record<EventType, true>) as readonly EventType[];

/** Names that stand for a type in `subscribe`. */
const OTHER_NAMES: Readonly<Record<string, EventType>> = { notifications: 'notification' };

/** What a name in `subscribe` stands for; undefined for one that stands for nothing. */
export const eventTypeOf = (name: string): EventType | undefined =>
  Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : EVENT_TYPES.find((type) => type === name);

const MAX_NAMES = 50;

export const subscribeRequest = z.strictObject({
  events: z
    .array(z.string().max(50))
    .max(MAX_NAMES)
    .default([])
    .describe(`Some of ${EVENT_TYPES.join(', ')}; \`notifications\` is \`notification\`. None of them: everything`),
  last_seq: z.int().nonnegative().optional().describe('The `seq` of the last event that was received; what came after it comes first'),
});
export type SubscribeRequest = z.infer<typeof subscribeRequest>;

/** What a client says over /ws. */
export const clientMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auth'), token: z.string().max(16_384) }),
  subscribeRequest.extend({ type: z.literal('subscribe') }),
]);
export type ClientMessage = z.infer<typeof clientMessage>;

/** What the service says over /ws beside events. */
export type ServerReply =
  | { readonly type: 'auth_ok'; readonly user: UserBody; readonly expires_at: string | null }
  | {
      readonly type: 'subscribed';
      readonly events: readonly string[];
      /** Said when `last_seq` was given: false when some of what came after it is forgotten. */
      readonly complete?: boolean;
      /** With `complete: false`: the oldest event that is still known. */
      readonly oldest_seq?: number;
    }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

/** How a connection ends, as WebSocket close codes. */
export const CLOSE_CODES = {
  goingAway: 1001,
  tooManyMessages: 1008,
  unauthorized: 4401,
  forbidden: 4403,
  tooSlow: 4408,
  tooManyConnections: 4429,
} as const;
export type CloseCode = (typeof CLOSE_CODES)[keyof typeof CLOSE_CODES];

export const MAX_CONNECTIONS_PER_USER = 5;
/** Of one message of a client. */
export const MAX_CLIENT_MESSAGE_BYTES = 64 * 1024;
