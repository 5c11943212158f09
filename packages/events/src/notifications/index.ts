export { type ChannelOff, Deliverer, type DelivererDeps, type DeliveryWays, makeDeliveryMetrics } from './deliverer.ts';
export type { DeliveryWay } from './delivery-way.ts';
export { Mailer, makeEmailWay } from './email-way.ts';
export {
  type AlertAudience,
  type AlertNews,
  clearAlert,
  countUnread,
  createNotification,
  deleteNotification,
  deleteReadNotificationsBefore,
  forgetAlert,
  forgetAlertsOfGoneSources,
  listAlerts,
  listNotifications,
  listNotificationsAfter,
  type NewNotification,
  notifyAlert,
  raiseAlert,
  readAllNotifications,
  readNotification,
} from './queries/alerts.ts';
export {
  claimDeliveries,
  countDeliveries,
  deleteDeliveriesBefore,
  findOldestDue,
  listDeliveries,
  listDeliveriesAfter,
  markDelivered,
  markUndelivered,
  releaseDelivery,
  retryDelivery,
} from './queries/deliveries.ts';
export { makeWebhookWay } from './webhook-way.ts';
