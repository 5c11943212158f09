import type { Readable } from 'node:stream';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import type { Live } from '@sheaf/process';
import type { Storage, TempArea } from '@sheaf/storage';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import type { NotificationPolicy } from '@sheaf/vocabulary/notifications';
import type { QueueGate } from './queue-gate.ts';
import type { Refusal } from './refusal.ts';
import type { TypeCheck } from './types/type-check.ts';

/** What the sender wishes for the document. */
export interface ImportOptions {
  /** The file name without its extension where none is given. */
  readonly title?: string | undefined;
  readonly labelIds?: readonly string[] | undefined;
  readonly language?: string | undefined;
  readonly ocrEnabled?: boolean | undefined;
}

export interface IncomingFile extends ImportOptions {
  readonly route: IngestRoute;
  /** As the sender calls it, possibly with a path; it is cleaned here. */
  readonly filename: string;
  readonly ownerId: string;
  readonly body: Readable;
  readonly maxBytes: number;
  /** Without dots, lower case. */
  readonly allowedExtensions: readonly string[];
  /** The file's name in the ledger: its path below a watched root, else the file name. */
  readonly ledgerPath: string;
  /** As the sender announces it: what the ledger has of a file that is refused before it is read. */
  readonly sizeBytes?: number | undefined;
  readonly modifiedAt?: Date | undefined;
  readonly sourceId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** ImportOptions that are known only when `body` has ended, such as form fields behind the file; they go before the others. */
  readonly lateWishes?: (() => Promise<ImportOptions>) | undefined;
  /** Asked when the bytes are here and before anything is recorded: false means that they are not to be trusted. */
  readonly confirm?: (() => Promise<boolean>) | undefined;
}

/** Whether a PDF, given by its bytes or its path, has signatures, valid or not. */
export type FindIsSigned = (content: Buffer | string, signal?: AbortSignal) => Promise<boolean>;

export interface IngestDeps {
  readonly db: Db;
  readonly storage: Storage;
  readonly temp: TempArea;
  readonly settings: Live<IngestSettings>;
  readonly typeCheck: TypeCheck;
  /** Absent: as many documents may wait as there are. */
  readonly queue?: QueueGate | undefined;
  /** Asked of imported files that nobody processes, as they come with their text. */
  readonly isSigned?: FindIsSigned | undefined;
}

export interface IngestSettings {
  /** How often reading a document is tried. */
  readonly maxAttempts: number;
  /** Where neither sender nor owner has chosen one. */
  readonly defaultLanguage: string;
  readonly notifications: NotificationPolicy;
  /** Earlier versions that a document keeps; 0: all. */
  readonly versionsKeep: number;
}

export type IngestResult =
  | { readonly outcome: 'ingested'; readonly document: Document }
  /** `documentId` is null for a watched file whose document was deleted: it is not taken in a second time. */
  | { readonly outcome: 'duplicate'; readonly documentId: string | null; readonly requeued: boolean }
  /** An uploaded file whose document is in the trash, where it can be restored. */
  | { readonly outcome: 'trashed'; readonly documentId: string }
  | ({ readonly outcome: 'refused' } & Refusal);
