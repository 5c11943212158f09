import { NOTIFICATION_TYPES } from '@sheaf/vocabulary/notifications';
import { NOTIFICATION_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { pageQuery, sortQuery } from '../page.ts';

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
