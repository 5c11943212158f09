import { NOTIFICATION_TYPES } from '@sheaf/vocabulary/notifications';
import { unknownTypes } from './notifications.ts';
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
