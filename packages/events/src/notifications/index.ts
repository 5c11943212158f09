export { Deliverer, type DelivererDeps, type DeliveryWays } from './deliverer.ts';
export type { ChannelOff } from './delivery-lane.ts';
export { makeDeliveryMetrics } from './delivery-metrics.ts';
export type { DeliveryWay } from './delivery-way.ts';
export { makeEmailWay } from './email-way.ts';
export { Mailer } from './mailer.ts';
export {
  type AlertAudience,
  type AlertNews,
  clearAlert,
  forgetAlert,
  forgetAlertsOfGoneSources,
  listAlerts,
  notifyAlert,
  raiseAlert,
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
export {
  countUnread,
  createNotification,
  deleteNotification,
  deleteReadNotificationsBefore,
  listNotifications,
  listNotificationsAfter,
  type NewNotification,
  readAllNotifications,
  readNotification,
} from './queries/notifications.ts';
export { makeWebhookWay } from './webhook-way.ts';
