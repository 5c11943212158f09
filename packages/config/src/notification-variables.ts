import { url } from './value-types.ts';
import { boolean, decimal, integer, list, seconds, secret } from './variable.ts';

/** Who is told what, by which ways, and when something counts as wrong. See variables.ts for all of them. */
export const NOTIFICATION_VARIABLES = {
  // Notifications
  NOTIFICATIONS_ENABLED: boolean('Notifications', { default: 'true' }),
  EMAIL_ENABLED: boolean('Notifications', { default: 'false' }),
  EMAIL_NOTIFICATION_TYPES: list('Notifications', {
    default: 'ocr_failed,sync_failed,security',
  }),
  WEBHOOK_ENABLED: boolean('Notifications', { default: 'false' }),
  WEBHOOK_URL: url('https://hooks.example.org/path', { mayHaveQuery: true })('Notifications', {
    default: undefined,
    meaning: 'URL of the webhook receiver; required if WEBHOOK_ENABLED=true',
  }),
  WEBHOOK_SECRET: secret('Notifications', {
    default: undefined,
    meaning: 'secret that signs webhooks (Standard Webhooks): whsec_ and base64, or any text; unset, webhooks are not signed',
  }),

  // Network
  WEBSOCKET_ENABLED: boolean('Network', { default: 'true', meaning: 'enables events over /ws and socket.io' }),
  WEBSOCKET_MAX_CONNECTIONS: integer(1, 100_000)('Network', { default: '1000' }),

  // Monitoring
  HEALTH_CHECK_INTERVAL: seconds(1)('Monitoring', { default: '300' }),
  CPU_WARNING_THRESHOLD: decimal(0, 100)('Monitoring', { default: '80' }),
  MEMORY_WARNING_THRESHOLD: decimal(0, 100)('Monitoring', {
    default: '85',
  }),
  DISK_WARNING_THRESHOLD: decimal(0, 100)('Monitoring', {
    default: '90',
  }),
  HEALTH_EMAIL_ALERTS: boolean('Monitoring', {
    default: 'false',
  }),

  // Feature flags
  FEATURE_NOTIFICATIONS: boolean('Feature flags', { default: 'true', meaning: 'enables notifications and their endpoints' }),
} as const;
