export { Deliverer, type DelivererDeps, type DeliveryWays } from './deliverer.ts';
export { makeDeliveryMetrics } from './delivery-metrics.ts';
export { makeEmailWay } from './email-way.ts';
export { type Mail, Mailer, type MailSettings } from './mailer.ts';
export { makeWebhookWay } from './webhook-way.ts';
