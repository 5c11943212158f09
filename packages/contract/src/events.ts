import type { DocumentStatus, IngestRoute, LedgerState } from './document.ts';

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
    };

export type EventType = SheafEvent['type'];

/** What LISTEN and NOTIFY call the nudges. Losing one costs a poll interval and nothing else. */
export const CHANNELS = { events: 'sheaf_events', jobs: 'sheaf_jobs', leases: 'sheaf_leases', identity: 'sheaf_identity' } as const;
export type Channel = (typeof CHANNELS)[keyof typeof CHANNELS];
