import type { DocumentStatus, IngestRoute, LedgerState } from './document.ts';
import type { NotificationType } from './notification.ts';

export const ALERT_LEVELS = ['critical', 'warning', 'info'] as const;
export type AlertLevel = (typeof ALERT_LEVELS)[number];

/** Every event there is. The fields beside `type` are its data on the wire. */
export type SheafEvent =
  | { readonly type: 'document_created'; readonly document_id: string; readonly title: string; readonly source: IngestRoute }
  | { readonly type: 'document_updated'; readonly document_id: string; readonly changes: Readonly<Record<string, unknown>> }
  | { readonly type: 'document_deleted'; readonly document_id: string }
  | { readonly type: 'ocr_progress'; readonly document_id: string; readonly progress: number; readonly status: DocumentStatus }
  | {
      readonly type: 'ingest';
      readonly route: IngestRoute;
      readonly filename: string;
      readonly state: LedgerState;
      readonly reason: string | null;
    }
  | {
      readonly type: 'sync_progress';
      readonly source_id: string;
      readonly processed: number;
      readonly total: number;
      readonly current_file: string | null;
    }
  /** Its data has a field `type` too, which says what kind of notification it is. */
  | {
      readonly type: 'notification';
      readonly id: string;
      readonly kind: NotificationType;
      readonly title: string;
      readonly message: string;
    }
  /** Not kept: counts of the moment, as far as the reader may see documents. */
  | { readonly type: 'queue_status'; readonly pending: number; readonly processing: number; readonly completed: number }
  | { readonly type: 'alert'; readonly level: AlertLevel; readonly component: string; readonly message: string };

export type EventType = SheafEvent['type'];

/** What LISTEN and NOTIFY call the nudges. Losing one costs a poll interval and nothing else. */
export const CHANNELS = {
  events: 'sheaf_events',
  jobs: 'sheaf_jobs',
  leases: 'sheaf_leases',
  identity: 'sheaf_identity',
  /** A run was asked for or is to end, or a source changed. */
  sources: 'sheaf_sources',
  /** Something has to leave; its payload is the channel. */
  deliveries: 'sheaf_deliveries',
  /** A system setting changed. */
  settings: 'sheaf_settings',
} as const;
export type Channel = (typeof CHANNELS)[keyof typeof CHANNELS];
