import { type NotificationBody, notificationBody, notificationQuery } from '@sheaf/contract/notifications';
import type { Notification } from '@sheaf/db/schema';
import {
  countUnread,
  deleteNotification,
  listNotifications,
  listNotificationsAfter,
  readAllNotifications,
  readNotification,
} from '@sheaf/events/notifications';
import { z } from 'zod';
import { behindFeature, type FeatureServices } from '../http/feature.ts';
import { listRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { emptyRoute, jsonRoute, type Route } from '../http/route.ts';

const toNotificationBody = (row: Notification): NotificationBody => ({
  id: row.id,
  type: row.type,
  title: row.title,
  message: row.message,
  read: row.readAt !== null,
  created_at: row.createdAt.toISOString(),
  data: row.data,
});

const list = ({ database, database: { db }, cursors }: FeatureServices): Route =>
  listRoute({
    cursors,
    path: '/api/notifications',
    access: 'signed-in',
    summary: 'List your notifications, newest first',
    description:
      'Documents processed within five minutes, and skipped files, are combined in one notification while it is unread. Read notifications are deleted after 90 days. `unread_count` is the number of all unread notifications.',
    query: notificationQuery,
    name: 'notifications',
    item: notificationBody,
    more: { unread_count: z.int() },
    page: async ({ query: { page, per_page: perPage, unread_only: unreadOnly, ...order }, principal }) => {
      const { rows, total, unread } = await listNotifications(database.db, principal, { page, perPage, unreadOnly, ...order });
      return { rows: rows.map(toNotificationBody), total, unread_count: unread };
    },
    cut: async ({ query: { unread_only: unreadOnly, ...order }, principal }, part) => {
      const [{ rows, next }, unread] = await Promise.all([
        listNotificationsAfter(db, principal, { ...part, unreadOnly, ...order }),
        countUnread(db, principal),
      ]);
      return { rows: rows.map(toNotificationBody), next, unread_count: unread };
    },
  });

const readBy = (method: 'put' | 'post', { database }: FeatureServices): Route =>
  jsonRoute({
    method,
    path: '/api/notifications/{id}/read',
    access: 'session',
    summary: 'Mark a notification as read; PUT and POST are equivalent',
    errors: { NOTIFICATION_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    response: notificationBody,
    handle: async ({ params, principal }) => toNotificationBody(await readNotification(database.db, principal, params.id)),
  });

const readAllBy = (method: 'put' | 'post', { database }: FeatureServices): Route =>
  jsonRoute({
    method,
    path: '/api/notifications/read-all',
    access: 'session',
    summary: 'Mark all notifications as read; returns how many were unread. PUT and POST are equivalent',
    response: z.strictObject({ read: z.int() }),
    handle: async ({ principal }) => ({ read: await readAllNotifications(database.db, principal) }),
  });

const remove = ({ database }: FeatureServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/notifications/{id}',
    access: 'session',
    summary: 'Delete a notification',
    done: 'Deleted',
    errors: { NOTIFICATION_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    handle: async ({ params, principal }) => {
      await deleteNotification(database.db, principal, params.id);
    },
  });

export const notificationRoutes = (services: FeatureServices): readonly Route[] =>
  behindFeature('FEATURE_NOTIFICATIONS', services.config.features.notifications, [
    list(services),
    readAllBy('put', services),
    readAllBy('post', services),
    readBy('put', services),
    readBy('post', services),
    remove(services),
  ]);
