import type { Db } from '@sheaf/db';
import { lockStoredBytes } from '@sheaf/documents';
import { addEarlierVersion } from '@sheaf/documents/versions';
import type { IncomingFile, IngestDeps } from '../incoming-file.ts';
import type { Refusal } from '../refusal.ts';
import { BytesVanished, type Recorder, takeIn } from '../take-in.ts';
import type { ImportedText } from './imported-file.ts';

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
  return takeIn(file, deps, recorder);
};
