/** What users are told of. */
export const NOTIFICATION_TYPES = [
  'ocr_completed',
  'ocr_failed',
  'sync_completed',
  'sync_failed',
  'duplicate_skipped',
  'alert',
  'security',
] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

/** By which ways notifications leave, as the operator has set it. */
export interface NotificationPolicy {
  /** Whether users are told anything at all. */
  readonly enabled: boolean;
  /** The types that are sent by e-mail as well; none where mail is off. */
  readonly emailTypes: ReadonlySet<NotificationType>;
  readonly webhook: boolean;
}
