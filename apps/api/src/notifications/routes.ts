import { recordAudit } from '@sheaf/accounts/users';
import {
  type DeliveryBody,
  deliveryBody,
  deliveryQuery,
  type NotificationBody,
  notificationBody,
  notificationQuery,
} from '@sheaf/contract/notifications';
import type { Delivery, Notification } from '@sheaf/db/schema';
import {
  countUnread,
  deleteNotification,
  listDeliveries,
  listDeliveriesAfter,
  listNotifications,
  listNotificationsAfter,
  readAllNotifications,
  readNotification,
  retryDelivery,
} from '@sheaf/events/notifications';
import { MAX_DELIVERY_ATTEMPTS } from '@sheaf/vocabulary/limits';
import { z } from 'zod';
import { listRoute, rowListRoute } from '../http/list-route.ts';
import { behindFeature, type FeatureServices } from '../http/offered-routes.ts';
import { idParams } from '../http/parse-input.ts';
import { emptyRoute, jsonRoute, type Route } from '../http/route.ts';

/** What the payload says to its user stays out: titles of documents are not for whoever looks after the service. */
const toDeliveryBody = (row: Delivery): DeliveryBody => ({
  id: row.id,
  channel: row.channel,
  type: row.payload.type,
  notification_id: row.notificationId,
  user_id: row.payload.data.user_id,
  recipient: row.recipient,
  state: row.state,
  attempts: row.attempts,
  max_attempts: MAX_DELIVERY_ATTEMPTS,
  next_attempt_at: row.state === 'pending' ? row.dueAt.toISOString() : null,
  last_status: row.lastStatus,
  last_error: row.lastError,
  created_at: row.createdAt.toISOString(),
  delivered_at: row.deliveredAt?.toISOString() ?? null,
});

const deliveryList = ({ cursors }: FeatureServices): Route =>
  rowListRoute({
    cursors,
    path: '/api/deliveries',
    access: 'system.read',
    summary: 'List e-mail and webhook deliveries, newest first',
    description:
      'Each notification has one delivery per enabled channel. There are five attempts, with delays of 5 and 30 seconds and 2 and 10 minutes; a webhook response 410 and a permanent rejection by the mail server are not retried. A delivery can arrive twice with the same ID. Finished deliveries are kept for 30 days.',
    query: deliveryQuery,
    name: 'data',
    item: deliveryBody,
    list: listDeliveries,
    listAfter: listDeliveriesAfter,
    toBody: toDeliveryBody,
  });

const retry = ({ database }: FeatureServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/deliveries/{id}/retry',
    access: 'settings.update',
    summary: 'Retry a failed or pending delivery now, with all attempts',
    errors: { DELIVERY_NOT_FOUND: 'NOT_FOUND', DELIVERY_NOT_RETRIABLE: 'DUPLICATE_RESOURCE' },
    params: idParams,
    response: deliveryBody,
    handle: async ({ params: { id }, principal, context: { address } }) =>
      toDeliveryBody(
        await database.db.transaction(async (tx) => {
          const delivery = await retryDelivery(tx, principal, id);
          await recordAudit(tx, {
            actor: principal,
            address,
            action: 'delivery.retried',
            outcome: 'success',
            subject: { type: 'delivery', id },
            details: { channel: delivery.channel, type: delivery.payload.type },
          });
          return delivery;
        }),
      ),
  });

export const deliveryRoutes = (services: FeatureServices): readonly Route[] =>
  behindFeature('FEATURE_NOTIFICATIONS', services.config.features.notifications, [deliveryList(services), retry(services)]);

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
