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
export const INGEST_ROUTES = ['upload', 'watch', 'user_watch', 'webdav', 's3', 'local_folder', 'import'] as const;
export type IngestRoute = (typeof INGEST_ROUTES)[number];

/** Routes whose files stay where they are and are seen again at every scan. */
export const WATCHED_ROUTES = ['watch', 'user_watch'] as const satisfies readonly IngestRoute[];

export const isWatchedRoute = (route: IngestRoute): boolean => WATCHED_ROUTES.some((watched) => watched === route);

/** What became of a file that was seen on a route. */
export const LEDGER_STATES = ['waiting', 'ingested', 'split', 'duplicate', 'ignored', 'failed'] as const;
export type LedgerState = (typeof LEDGER_STATES)[number];

/** The states of a file that is a document, or several. */
export const TAKEN_STATES = ['ingested', 'split', 'duplicate'] as const satisfies readonly LedgerState[];

export const isTakenState = (state: LedgerState): boolean => TAKEN_STATES.some((taken) => taken === state);

/** What is remembered of a file of a source: into how many documents it was split says the ledger alone. */
export const SOURCE_FILE_STATES = ['waiting', 'ingested', 'duplicate', 'ignored', 'failed'] as const satisfies readonly LedgerState[];
export type SourceFileState = (typeof SOURCE_FILE_STATES)[number];

/** Keys of the metadata of a document that the service alone writes: which document its pages come from, and where others of its pages are. */
export const SPLIT_FROM = 'split_from';
export const SPLIT_INTO = 'split_into';
export const SERVICE_METADATA_KEYS: readonly string[] = [SPLIT_FROM, SPLIT_INTO];

/** Why a document is in the trash: a person deleted it, or its file was gone at its source. */
export const TRASH_REASONS = ['deleted', 'source_file_removed'] as const;
export type TrashReason = (typeof TRASH_REASONS)[number];

/** Where the text of a page comes from: its text layer, OCR, the system that the document was imported from, or who wrote it since. */
export const PAGE_ORIGINS = ['text', 'ocr', 'import', 'edited'] as const;
export type PageOrigin = (typeof PAGE_ORIGINS)[number];
