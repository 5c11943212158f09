import { boolean, decimal, integer, list, seconds, secret, text } from './variable.ts';

/** Who is told what, by which ways, and when something counts as wrong. See variables.ts for all of them. */
export const NOTIFICATION_VARIABLES = {
  // Notifications
  NOTIFICATIONS_ENABLED: boolean('Notifications', { default: 'true', meaning: 'enables notifications for users' }),
  EMAIL_ENABLED: boolean('Notifications', { default: 'false', meaning: 'also sends notifications by e-mail; requires SMTP_*' }),
  EMAIL_NOTIFICATION_TYPES: list('Notifications', {
    default: 'ocr_failed,sync_failed,security',
    meaning: 'notification types sent by e-mail, comma-separated; for alerts see HEALTH_EMAIL_ALERTS',
  }),
  WEBHOOK_ENABLED: boolean('Notifications', { default: 'false', meaning: 'sends every notification to WEBHOOK_URL' }),
  WEBHOOK_URL: text('Notifications', { default: undefined, meaning: 'URL of the webhook receiver; required if WEBHOOK_ENABLED=true' }),
  WEBHOOK_SECRET: secret('Notifications', {
    default: undefined,
    meaning: 'secret that signs webhooks (Standard Webhooks): whsec_ and base64, or any text; unset, webhooks are not signed',
  }),

  // Network
  WEBSOCKET_ENABLED: boolean('Network', { default: 'true', meaning: 'enables events over /ws and socket.io' }),
  WEBSOCKET_MAX_CONNECTIONS: integer(1, 100_000)('Network', { default: '1000', meaning: 'maximum event connections; 5 per user' }),

  // Monitoring
  HEALTH_CHECK_INTERVAL: seconds(1)('Monitoring', { default: '300', meaning: 'seconds between two health checks' }),
  CPU_WARNING_THRESHOLD: decimal(0, 100)('Monitoring', { default: '80', meaning: 'CPU usage in percent above which an alert is raised' }),
  MEMORY_WARNING_THRESHOLD: decimal(0, 100)('Monitoring', {
    default: '85',
    meaning: 'memory usage in percent above which an alert is raised',
  }),
  DISK_WARNING_THRESHOLD: decimal(0, 100)('Monitoring', {
    default: '90',
    meaning: 'disk usage in percent above which an alert is raised',
  }),
  HEALTH_EMAIL_ALERTS: boolean('Monitoring', {
    default: 'false',
    meaning: 'sends alerts to administrators by e-mail; requires EMAIL_ENABLED',
  }),

  // Feature flags
  FEATURE_NOTIFICATIONS: boolean('Feature flags', { default: 'true', meaning: 'enables notifications and their endpoints' }),
} as const;
