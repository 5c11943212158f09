import { DELIVERY_CHANNELS, DELIVERY_STATES } from '@sheaf/vocabulary/deliveries';
import { NOTIFICATION_TYPES } from '@sheaf/vocabulary/notifications';
import { DELIVERY_SORT_FIELDS, NOTIFICATION_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { pageQuery, sortQuery } from '../page.ts';

export const deliveryQuery = pageQuery.extend({
  state: z.enum(DELIVERY_STATES).optional(),
  channel: z.enum(DELIVERY_CHANNELS).optional(),
  ...sortQuery(DELIVERY_SORT_FIELDS, { sort: 'created_at', order: 'desc' }),
});

export const deliveryBody = z
  .strictObject({
    id: z.uuid().describe('ID for receivers: the `webhook-id`, and part of the Message-ID of an e-mail'),
    channel: z.enum(DELIVERY_CHANNELS),
    type: z.enum(NOTIFICATION_TYPES).describe('Type of the notification; its content is visible to its user only'),
    notification_id: z.uuid().nullable().describe('Null after the notification is deleted'),
    user_id: z.uuid().describe('Recipient user'),
    recipient: z.string().nullable().describe('E-mail address; null for a webhook, which is sent to WEBHOOK_URL'),
    state: z.enum(DELIVERY_STATES),
    attempts: z.int(),
    max_attempts: z.int(),
    next_attempt_at: z.iso.datetime().nullable().describe('Next attempt of a pending delivery'),
    last_status: z.int().nullable().describe('Last response: HTTP status, or reply code of the mail server'),
    last_error: z.string().nullable().describe('Error message of the last attempt'),
    created_at: z.iso.datetime(),
    delivered_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Delivery' });
export type DeliveryBody = z.infer<typeof deliveryBody>;

export const notificationQuery = pageQuery.extend({
  unread_only: z.stringbool().default(false).describe('Only unread notifications'),
  ...sortQuery(NOTIFICATION_SORT_FIELDS, { sort: 'created_at', order: 'desc' }),
});

export const notificationBody = z
  .strictObject({
    id: z.uuid(),
    type: z.enum(NOTIFICATION_TYPES),
    title: z.string(),
    message: z.string(),
    read: z.boolean(),
    created_at: z.iso.datetime(),
    data: z
      .record(z.string(), z.unknown())
      .describe(
        'Subject such as `document_id`, and values of the message such as `title`, `reason` or `name`; for several documents `count` and up to 100 `document_ids`',
      ),
  })
  .meta({ id: 'Notification' });
export type NotificationBody = z.infer<typeof notificationBody>;
