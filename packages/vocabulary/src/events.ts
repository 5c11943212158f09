import type { DocumentStatus, IngestRoute, LedgerState } from './documents.ts';
import type { ImportPhase, ImportState } from './imports.ts';
import type { NotificationType } from './notifications.ts';

export const ALERT_LEVELS = ['critical', 'warning', 'info'] as const;
export type AlertLevel = (typeof ALERT_LEVELS)[number];

/** Every event there is. The fields beside `type` are its data on the wire. */
export type SheafEvent =
  | { readonly type: 'document_created'; readonly document_id: string; readonly title: string; readonly source: IngestRoute }
  | { readonly type: 'document_updated'; readonly document_id: string; readonly changes: Readonly<Record<string, unknown>> }
  /** It went to the trash, or was removed for good at once. */
  | { readonly type: 'document_deleted'; readonly document_id: string }
  /** It came back from the trash. */
  | { readonly type: 'document_restored'; readonly document_id: string; readonly title: string; readonly source: IngestRoute }
  /** It was removed from the trash for good. */
  | { readonly type: 'document_purged'; readonly document_id: string }
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
  /** An import of the archive of another system; `total` is null where it is not known. */
  | {
      readonly type: 'import_progress';
      readonly import_id: string;
      readonly state: ImportState;
      readonly phase: ImportPhase | null;
      readonly done: number;
      readonly total: number | null;
    }
  /** A share link was made, revoked, or opened for the first time. It leads to a document, or to the results of a saved search. */
  | {
      readonly type: 'share_created' | 'share_revoked' | 'share_opened';
      readonly share_id: string;
      readonly document_id: string | null;
      readonly saved_search_id: string | null;
    }
  /** Its data has a field `type` too, which says what kind of notification it is. */
  | {
      readonly type: 'notification';
      readonly id: string;
      readonly kind: NotificationType;
      readonly title: string;
      readonly message: string;
      /** The document that it is about; the last one where it is about several. */
      readonly document_id?: string;
    }
  /** A stored notification became another one: it took up a further one, or was read. Without an ID, all of the user were read. */
  | {
      readonly type: 'notification_updated';
      readonly id: string | null;
      readonly read: boolean;
      readonly title?: string;
      readonly message?: string;
      /** How many it stands for. */
      readonly count?: number;
    }
  | { readonly type: 'notification_deleted'; readonly id: string }
  /** Not kept: counts of the moment, as far as the reader may see documents. */
  | { readonly type: 'queue_status'; readonly pending: number; readonly processing: number; readonly completed: number }
  | {
      readonly type: 'alert';
      readonly level: AlertLevel;
      readonly component: string;
      /** All problems, in English. */
      readonly message: string;
      /** What is wrong, or right again. */
      readonly problems: readonly {
        readonly code: string;
        readonly message: string;
        readonly details: Readonly<Record<string, unknown>>;
      }[];
    };

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
  /** Rules are to be applied to a document. */
  rules: 'sheaf_rules',
  /** An import or a backup was asked for; its payload is which. */
  requests: 'sheaf_requests',
  /** A system setting changed. */
  settings: 'sheaf_settings',
  /** The schema was migrated. */
  schema: 'sheaf_schema',
} as const;
export type Channel = (typeof CHANNELS)[keyof typeof CHANNELS];

/** Every type there is: what can be subscribed to. */
export const EVENT_TYPES = Object.keys({
  document_created: true,
  document_updated: true,
  document_deleted: true,
  document_restored: true,
  document_purged: true,
  ocr_progress: true,
  ingest: true,
  sync_progress: true,
  import_progress: true,
  share_created: true,
  share_revoked: true,
  share_opened: true,
  notification: true,
  notification_updated: true,
  notification_deleted: true,
  queue_status: true,
  alert: true,
} satisfies Record<EventType, true>) as readonly EventType[];

/** How a connection ends, as WebSocket close codes. */
export const CLOSE_CODES = {
  goingAway: 1001,
  tooManyMessages: 1008,
  unauthorized: 4401,
  forbidden: 4403,
  tooSlow: 4408,
  tooManyConnections: 4429,
} as const;
export type CloseCode = (typeof CLOSE_CODES)[keyof typeof CLOSE_CODES];
