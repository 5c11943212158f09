import { EVENT_TYPES, type EventType } from '@sheaf/vocabulary/events';
import { z } from 'zod';
import type { UserBody } from '../identity/user.ts';

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
    .describe(`Any of ${EVENT_TYPES.join(', ')}; \`notifications\` is an alias of \`notification\`. Empty: all types`),
  last_seq: z.int().nonnegative().optional().describe('`seq` of the last received event; later events are replayed first'),
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
  | { readonly type: 'error'; readonly code: string; readonly reason?: string; readonly message: string };
