import type { Secret } from '@sheaf/contract';
import { NOTIFICATION_TYPES, type NotificationPolicy, type NotificationType } from '@sheaf/vocabulary/notifications';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';
import type { Values } from './parse.ts';

const isType = (name: string): name is NotificationType => (NOTIFICATION_TYPES as readonly string[]).includes(name);

/** Names that are no types of notifications. */
export const unknownTypes = (names: readonly string[]): string[] => names.filter((name) => !isType(name));

const emailTypes = (v: Values): Set<NotificationType> => {
  if (!v.EMAIL_ENABLED) return new Set();
  const types = new Set<NotificationType>(v.EMAIL_NOTIFICATION_TYPES.filter(isType));
  if (v.HEALTH_EMAIL_ALERTS) types.add('alert');
  return types;
};

export interface WebhookConfig {
  readonly url: string;
  readonly secret: Secret | undefined;
}

const webhookConfig = (v: Values): WebhookConfig | undefined =>
  v.WEBHOOK_ENABLED && v.WEBHOOK_URL !== undefined ? { url: v.WEBHOOK_URL, secret: v.WEBHOOK_SECRET } : undefined;

const policyOf = (v: Values): NotificationPolicy => ({
  enabled: v.NOTIFICATIONS_ENABLED && v.FEATURE_NOTIFICATIONS,
  emailTypes: emailTypes(v),
  webhook: v.WEBHOOK_ENABLED,
});

export const notificationConfig = (v: Values, roles: ConfiguredRoles) => ({
  /** They tell who looks after the whole system, and is told what is wrong with it. */
  roles,
  policy: policyOf(v),
  /** Whether mail about notifications is sent at all. */
  emailEnabled: v.EMAIL_ENABLED,
  /** Undefined while it is off. */
  webhook: webhookConfig(v),
});

/** When something counts as wrong. Shares are 0 to 1. */
export const monitoringConfig = (v: Values) => ({
  intervalMs: v.HEALTH_CHECK_INTERVAL * 1_000,
  cpuShare: v.CPU_WARNING_THRESHOLD / 100,
  memoryShare: v.MEMORY_WARNING_THRESHOLD / 100,
  diskShare: v.DISK_WARNING_THRESHOLD / 100,
});
