import type { Secret } from '@sheaf/contract';
import { NOTIFICATION_TYPES, type NotificationPolicy, type NotificationType } from '@sheaf/vocabulary/notifications';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';
import type { Values } from './parse.ts';

type Check = (values: Partial<Values>) => string | undefined;

const checkTypes: Check = ({ EMAIL_NOTIFICATION_TYPES: names }) => {
  const unknown = unknownTypes(names ?? []);
  return unknown.length === 0
    ? undefined
    : `contains unknown types: ${unknown.join(', ')}; valid types are ${NOTIFICATION_TYPES.join(', ')}`;
};

const checkWebhookUrl: Check = ({ WEBHOOK_ENABLED, WEBHOOK_URL }) =>
  WEBHOOK_URL === undefined && WEBHOOK_ENABLED === true ? 'is required when WEBHOOK_ENABLED=true' : undefined;

const checkWebhookSecret: Check = ({ WEBHOOK_SECRET }) => {
  const encoded = /^whsec_(.*)$/s.exec(WEBHOOK_SECRET?.reveal() ?? '')?.[1];
  const isGood = encoded === undefined || /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(encoded);
  return isGood && encoded !== '' ? undefined : 'starts with whsec_ and must continue with base64';
};

const checkAlertMail: Check = ({ HEALTH_EMAIL_ALERTS, EMAIL_ENABLED }) =>
  HEALTH_EMAIL_ALERTS === true && EMAIL_ENABLED === false ? 'requires EMAIL_ENABLED=true and SMTP_*' : undefined;

/** What the variables of notifications must be to each other. */
export const NOTIFICATION_CHECKS: Readonly<Record<string, Check>> = {
  EMAIL_NOTIFICATION_TYPES: checkTypes,
  WEBHOOK_URL: checkWebhookUrl,
  WEBHOOK_SECRET: checkWebhookSecret,
  HEALTH_EMAIL_ALERTS: checkAlertMail,
};

const isType = (name: string): name is NotificationType => (NOTIFICATION_TYPES as readonly string[]).includes(name);

/** Names that are no types of notifications. */
const unknownTypes = (names: readonly string[]): string[] => names.filter((name) => !isType(name));

const emailTypes = (v: Values): Set<NotificationType> => {
  if (!v.EMAIL_ENABLED) return new Set();
  const types = new Set<NotificationType>(v.EMAIL_NOTIFICATION_TYPES.filter(isType));
  if (v.HEALTH_EMAIL_ALERTS) types.add('alert');
  return types;
};

interface WebhookConfig {
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
