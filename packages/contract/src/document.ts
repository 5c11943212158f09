import { z } from 'zod';

export const DOCUMENT_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

/** What may follow what. `processing -> pending` is a retry; leaving an end state takes a new reading. */
export const NEXT_DOCUMENT_STATUS = {
  pending: ['processing', 'failed'],
  processing: ['completed', 'failed', 'pending'],
  completed: ['pending'],
  failed: ['pending'],
} as const satisfies Record<DocumentStatus, readonly DocumentStatus[]>;

/** The routes by which a document enters. The same names stand on the document and in the ingest ledger. */
export const INGEST_ROUTES = ['upload', 'watch', 'user_watch', 'webdav', 's3', 'local_folder'] as const;
export type IngestRoute = (typeof INGEST_ROUTES)[number];

/** Routes whose files stay where they are and are seen again at every scan. */
export const WATCHED_ROUTES = ['watch', 'user_watch'] as const satisfies readonly IngestRoute[];
export const isWatchedRoute = (route: IngestRoute): boolean => WATCHED_ROUTES.some((watched) => watched === route);

/** What became of a file that was seen on a route. */
export const LEDGER_STATES = ['waiting', 'ingested', 'duplicate', 'ignored', 'failed'] as const;
export type LedgerState = (typeof LEDGER_STATES)[number];

/** Where the text of a page comes from: its own text layer, or recognition. */
export const PAGE_ORIGINS = ['text', 'ocr'] as const;
export type PageOrigin = (typeof PAGE_ORIGINS)[number];

/** How much of `content` a list carries, in characters. */
export const CONTENT_EXCERPT_CHARACTERS = 500;

export const documentBody = z
  .strictObject({
    id: z.uuid(),
    title: z.string(),
    filename: z.string(),
    content: z.string(),
    status: z.enum(DOCUMENT_STATUSES),
    mime_type: z.string(),
    size: z.int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    ocr_confidence: z.number().min(0).max(1).nullable(),
    labels: z.array(z.string()),
    metadata: z.record(z.string(), z.unknown()),
    owner_id: z.uuid(),
    sha256: z.string(),
    page_count: z.int().nullable(),
    source: z.enum(INGEST_ROUTES),
    source_id: z.uuid().nullable(),
    source_removed_at: z.iso.datetime().nullable().describe('Since when the file that it came from is gone at its source'),
    ocr_language: z.string(),
    needs_attention: z.boolean(),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'Document' });
export type DocumentBody = z.infer<typeof documentBody>;

/** Of one request for pages. */
export const MAX_PAGES_PER_ANSWER = 100;

export const documentPagesBody = z
  .strictObject({
    pages: z.array(
      z.strictObject({ page: z.int(), content: z.string(), confidence: z.number().min(0).max(1), origin: z.enum(PAGE_ORIGINS) }),
    ),
    /** Pages that there are in all; they grow in number while the document is read. */
    total: z.int(),
  })
  .meta({ id: 'DocumentPages' });
export type DocumentPagesBody = z.infer<typeof documentPagesBody>;

export const DOCUMENT_SORT_FIELDS = [
  'created_at',
  'updated_at',
  'title',
  'filename',
  'size',
  'status',
  'mime_type',
  'ocr_confidence',
] as const;
export type DocumentSortField = (typeof DOCUMENT_SORT_FIELDS)[number];
