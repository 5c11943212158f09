export { type ChannelOff, Deliverer, type DelivererDeps, type DeliveryWays, makeDeliveryMetrics } from './deliverer.ts';
export { type DeliveryWay, Mailer, makeEmailWay, makeWebhookWay } from './delivery-ways.ts';
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
