import type { Readable } from 'node:stream';
import type { Db } from '@sheaf/db';
import { type FieldColumns, lockStoredBytes } from '@sheaf/documents';
import { addEarlierVersion } from '@sheaf/documents/versions';
import { BytesVanished, importFile, type Recorder } from '../import-file.ts';
import type { IncomingFile, IngestDeps, Refusal } from '../incoming-file.ts';

/** A file that a document had in another system before the one that was imported as the document's. */
export interface ImportedVersion extends IncomingFile {
  readonly route: 'import';
  readonly documentId: string;
  /** Its number among the files of the document, from 1, and the one of the newest. */
  readonly version: number;
  readonly newest: number;
  readonly newestCreatedAt: Date;
  readonly addedAt: Date;
  readonly text: ImportedText | undefined;
}

export type ImportedVersionResult =
  | { readonly outcome: 'ingested' }
  /** Its document was deleted, or got another file, since it was imported. */
  | { readonly outcome: 'superseded' }
  | ({ readonly outcome: 'refused' } & Refusal);

/**
 * Takes in an earlier file of a document: bytes first, then its row and pages with what `alongside` writes, in one transaction. Throws as
 * `ingest` does.
 */
export const ingestEarlierVersion = (
  file: ImportedVersion,
  deps: IngestDeps,
  alongside: (tx: Db) => Promise<void>,
): Promise<ImportedVersionResult> => {
  const recorder: Recorder<ImportedVersion, ImportedVersionResult> = {
    arrival: ({ db, storage }, arrival, stored) =>
      db.transaction(async (tx) => {
        const { sha256, sizeBytes } = arrival.received;
        await lockStoredBytes(tx, sha256, 'share');
        // Whoever removes bytes holds the lock alone: those that are here now are here when we commit.
        if ((await storage.stat(stored.key)) === undefined) throw new BytesVanished(stored.key);
        const { documentId, text, addedAt, route, filename, mimeType, version, newest, newestCreatedAt } = arrival;
        const isAdded = await addEarlierVersion(tx, documentId, {
          version,
          newest,
          newestCreatedAt,
          filename,
          mimeType,
          sizeBytes,
          sha256,
          filePath: stored.filePath,
          pageCount: text?.pageCount ?? text?.pages.length ?? null,
          source: route,
          createdAt: addedAt,
          pages: (text?.pages ?? []).map((content, at) => ({ content, language: text?.languages?.[at] ?? null })),
        });
        if (!isAdded) return { outcome: 'superseded' };
        await alongside(tx);
        return { outcome: 'ingested' };
      }),
    refusal: async (_deps, _file, refusal) => ({ outcome: 'refused', ...refusal }),
  };
  return importFile(file, deps, recorder);
};

/** What another system knows of a document. */
export interface ImportedFiling extends FieldColumns {
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
