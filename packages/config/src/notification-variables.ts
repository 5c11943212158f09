import { boolean, decimal, integer, list, seconds, secret, text } from './variable.ts';

/** Who is told what, by which ways, and when something counts as wrong. See variables.ts for all of them. */
export const NOTIFICATION_VARIABLES = {
  // Notifications
  NOTIFICATIONS_ENABLED: boolean('Notifications', { default: 'true', meaning: 'tell users what happened' }),
  EMAIL_ENABLED: boolean('Notifications', { default: 'false', meaning: 'by e-mail as well; needs SMTP_*' }),
  EMAIL_NOTIFICATION_TYPES: list('Notifications', {
    default: 'ocr_failed,sync_failed,security',
    meaning: 'types of notifications that are sent by e-mail, comma-separated; alerts have HEALTH_EMAIL_ALERTS',
  }),
  WEBHOOK_ENABLED: boolean('Notifications', { default: 'false', meaning: 'post every notification to WEBHOOK_URL' }),
  WEBHOOK_URL: text('Notifications', { default: undefined, meaning: 'address; required when WEBHOOK_ENABLED=true' }),
  WEBHOOK_SECRET: secret('Notifications', {
    default: undefined,
    meaning: 'signs webhooks in the way of Standard Webhooks: whsec_ and base64, or any text; without it they are not signed',
  }),

  // Network
  WEBSOCKET_ENABLED: boolean('Network', { default: 'true', meaning: 'events over /ws and socket.io' }),
  WEBSOCKET_MAX_CONNECTIONS: integer(1, 100_000)('Network', { default: '1000', meaning: 'such connections in all; a user may have 5' }),

  // Monitoring
  HEALTH_CHECK_INTERVAL: seconds(1)('Monitoring', { default: '300', meaning: 'seconds between two looks for what is wrong' }),
  CPU_WARNING_THRESHOLD: decimal(0, 100)('Monitoring', { default: '80', meaning: 'percent of all cores, above which there is an alert' }),
  MEMORY_WARNING_THRESHOLD: decimal(0, 100)('Monitoring', {
    default: '85',
    meaning: 'percent of the memory in use, above which there is one',
  }),
  DISK_WARNING_THRESHOLD: decimal(0, 100)('Monitoring', {
    default: '90',
    meaning: 'percent of a disk in use, above which there is one',
  }),
  HEALTH_EMAIL_ALERTS: boolean('Monitoring', { default: 'false', meaning: 'send alerts to administrators by e-mail; needs EMAIL_ENABLED' }),

  // Feature flags
  FEATURE_NOTIFICATIONS: boolean('Feature flags', { default: 'true', meaning: 'the endpoints of notifications, and making any' }),
} as const;
