/** What users are notified of. */
export const NOTIFICATION_TYPES = [
  'ocr_completed',
  'ocr_failed',
  'sync_completed',
  'sync_failed',
  'duplicate_skipped',
  'saved_search_match',
  'alert',
  'security',
] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

/** What users are notified of their own accounts, by the action of the audit log that it is about: `data.action` of what is reported of security. */
export const SECURITY_NOTICES = [
  'password.changed',
  'mfa.enabled',
  'mfa.removed',
  'mfa.recovery_codes_made',
  'mfa.recovery_used',
  'mfa.clone_suspected',
  'key.created',
  'session.refresh_reused',
  'sign_in',
  'user.updated',
] as const;
export type SecurityNotice = (typeof SECURITY_NOTICES)[number];

/** By which ways notifications leave, as the operator has set it. */
export interface NotificationPolicy {
  /** Whether users are told anything at all. */
  readonly enabled: boolean;
  /** The types that are sent by e-mail as well; none where mail is off. */
  readonly emailTypes: ReadonlySet<NotificationType>;
  readonly webhook: boolean;
}
