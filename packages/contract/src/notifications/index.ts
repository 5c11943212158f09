export { type DeliveryBody, deliveryBody, deliveryQuery } from './delivery.ts';
export { type NotificationBody, notificationBody, notificationQuery } from './notification-body.ts';
