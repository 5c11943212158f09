export {
  type DeliveryBody,
  deliveryBody,
  deliveryQuery,
  type NotificationBody,
  notificationBody,
  notificationQuery,
} from './notification.ts';
