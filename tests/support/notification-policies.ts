import type { AlertAudience } from '@sheaf/events/notifications';
import { constant, type Live } from '@sheaf/process';
import type { NotificationPolicy } from '@sheaf/vocabulary/notifications';
import { CONFIGURED_ROLES } from './built-in-roles.ts';

/** Users are told, and nothing leaves. */
export const TOLD_HERE: NotificationPolicy = { enabled: true, emailTypes: new Set(), webhook: false };

/** Administrators are told what is wrong. */
export const ADMINISTRATORS: Live<AlertAudience> = constant({ policy: TOLD_HERE, roles: CONFIGURED_ROLES });
