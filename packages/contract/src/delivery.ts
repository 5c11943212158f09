import { DELIVERY_CHANNELS, DELIVERY_STATES, NOTIFICATION_TYPES } from '@sheaf/vocabulary';
import { z } from 'zod';
import { pageQuery } from './page.ts';

export const deliveryQuery = pageQuery.extend({
  state: z.enum(DELIVERY_STATES).optional(),
  channel: z.enum(DELIVERY_CHANNELS).optional(),
});

export const deliveryBody = z
  .strictObject({
    id: z.uuid().describe('What receivers know it by: the `webhook-id`, and a part of the Message-ID of a mail'),
    channel: z.enum(DELIVERY_CHANNELS),
    type: z.enum(NOTIFICATION_TYPES).describe('Of the notification; what it says is for its user alone'),
    notification_id: z.uuid().nullable().describe('Null once it is deleted'),
    user_id: z.uuid().describe('Who is told'),
    recipient: z.string().nullable().describe('The address of a mail; null for a webhook, which goes to WEBHOOK_URL'),
    state: z.enum(DELIVERY_STATES),
    attempts: z.int(),
    max_attempts: z.int(),
    next_attempt_at: z.iso.datetime().nullable().describe('Of one that is pending'),
    last_status: z.int().nullable().describe('What the receiver answered last: the HTTP status, or the reply code of the mail server'),
    last_error: z.string().nullable().describe('In words, why it was not delivered at the last attempt'),
    created_at: z.iso.datetime(),
    delivered_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Delivery' });
export type DeliveryBody = z.infer<typeof deliveryBody>;
