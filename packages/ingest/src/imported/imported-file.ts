import type { Readable } from 'node:stream';
import type { Db } from '@sheaf/db';
import type { IncomingFile } from '../incoming-file.ts';
import type { Refusal } from '../refusal.ts';

/** What another system knows of a document. */
export interface ImportedFiling {
  readonly documentDate?: string | undefined;
  readonly archiveNumber?: number | undefined;
  readonly correspondentId?: string | undefined;
  readonly documentTypeId?: string | undefined;
  /** Names of the fields that people had set there, which nothing else changes. */
  readonly confirmedFields: readonly string[];
}

/** What was read of a document in another system. */
export interface ImportedText {
  readonly pages: readonly string[];
  /** Where the system counts otherwise. */
  readonly pageCount: number | null;
  /** What each page is written in, as codes of tesseract; null where that is not known. */
  readonly languages?: readonly (string | null)[] | undefined;
}

/** A file from the archive of another system. */
export interface ImportedFile extends IncomingFile {
  readonly route: 'import';
  /** Its id there, such as paperless:123. */
  readonly importedFrom: string;
  readonly addedAt: Date | undefined;
  readonly filing: ImportedFiling;
  /** Page by page, as it was read there; undefined where it is to be read here. */
  readonly text: ImportedText | undefined;
  /** Opens the PDF rendition of an office document, where the other system has one. */
  readonly openPreview?: (() => Promise<Readable | undefined>) | undefined;
}

/** What became of it. */
export type ImportedResult =
  | {
      readonly outcome: 'ingested';
      readonly documentId: string;
      /** Whether another document has its archive number, so that it got none. */
      readonly isNumberTaken: boolean;
    }
  /** The owner has these bytes; the document that they are. */
  | { readonly outcome: 'duplicate'; readonly documentId: string }
  | ({ readonly outcome: 'refused' } & Refusal);

/** A file with the document that it is now: a new one, or one that was here. */
export interface ImportedDocument<F extends ImportedFile> {
  readonly file: F;
  readonly documentId: string;
  readonly isNew: boolean;
}

/** What else becomes true with the documents, in their transaction. New ones are not in the search index yet. */
export type Alongside<F extends ImportedFile> = (tx: Db, documents: readonly ImportedDocument<F>[]) => Promise<void>;
