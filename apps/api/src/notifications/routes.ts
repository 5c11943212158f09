import type { Config } from '@sheaf/config';
import { type NotificationBody, notificationBody, notificationQuery, paginationBody, toPagination } from '@sheaf/contract';
import { deleteNotification, listNotifications, type Notification, readAllNotifications, readNotification } from '@sheaf/db';
import { z } from 'zod';
import { behindFeature } from '../http/feature.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route, streamRoute } from '../http/route.ts';

const toNotificationBody = (row: Notification): NotificationBody => ({
  id: row.id,
  type: row.type,
  title: row.title,
  message: row.message,
  read: row.readAt !== null,
  created_at: row.createdAt.toISOString(),
  data: row.data,
});

const list = jsonRoute({
  method: 'get',
  path: '/api/notifications',
  access: 'signed-in',
  summary: 'What you were told, the newest first',
  description:
    'Documents that are read within five minutes, and files that are skipped, are told of in one notification while it is unread. Read ones are forgotten after 90 days. `unread_count` counts all that were not read, whatever the page.',
  query: notificationQuery,
  status: 200,
  response: z.strictObject({ notifications: z.array(notificationBody), unread_count: z.int(), pagination: paginationBody }),
  handle: async ({ query, principal }, { database }) => {
    const { page, per_page, unread_only } = query;
    const { rows, total, unread } = await listNotifications(database.db, principal, { page, perPage: per_page, unreadOnly: unread_only });
    return { notifications: rows.map(toNotificationBody), unread_count: unread, pagination: toPagination(query, total) };
  },
});

const readBy = (method: 'put' | 'post') =>
  jsonRoute({
    method,
    path: '/api/notifications/{id}/read',
    access: 'session',
    summary: 'Mark a notification as read; PUT and POST do the same',
    errors: { NOTIFICATION_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    status: 200,
    response: notificationBody,
    handle: async ({ params, principal }, { database }) =>
      toNotificationBody(await readNotification(database.db, principal, params.id.toLowerCase())),
  });

const readAllBy = (method: 'put' | 'post') =>
  jsonRoute({
    method,
    path: '/api/notifications/read-all',
    access: 'session',
    summary: 'Mark all notifications as read; answers how many were not. PUT and POST do the same',
    status: 200,
    response: z.strictObject({ read: z.int() }),
    handle: async ({ principal }, { database }) => ({ read: await readAllNotifications(database.db, principal) }),
  });

const remove = streamRoute({
  method: 'delete',
  path: '/api/notifications/{id}',
  access: 'session',
  summary: 'Delete a notification',
  content: { answers: [{ status: 204, description: 'It is gone' }] },
  errors: { NOTIFICATION_NOT_FOUND: 'NOT_FOUND' },
  params: idParams,
  stream: async ({ params, principal }, { database }, { response }) => {
    await deleteNotification(database.db, principal, params.id.toLowerCase());
    response.status(204).end();
  },
});

export const notificationRoutes = ({ features }: Pick<Config, 'features'>): readonly Route[] =>
  behindFeature('FEATURE_NOTIFICATIONS', features.notifications, [
    list,
    readAllBy('put'),
    readAllBy('post'),
    readBy('put'),
    readBy('post'),
    remove,
  ]);
