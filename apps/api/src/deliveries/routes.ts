import { recordAudit } from '@sheaf/accounts/users';
import { type DeliveryBody, deliveryBody, deliveryQuery } from '@sheaf/contract/notifications';
import type { Delivery } from '@sheaf/db/schema';
import { listDeliveries, listDeliveriesAfter, retryDelivery } from '@sheaf/events/notifications';
import { MAX_DELIVERY_ATTEMPTS } from '@sheaf/vocabulary/limits';
import { behindFeature, type FeatureServices } from '../http/feature.ts';
import { rowListRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';

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

const list = ({ cursors }: FeatureServices): Route =>
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
  behindFeature('FEATURE_NOTIFICATIONS', services.config.features.notifications, [list(services), retry(services)]);
