import type { Db } from '@sheaf/db';
import { and, asc, eq, gt, inArray, isNull, lte, sql } from '@sheaf/db/drizzle';
import { documents, type SourceFile, sourceFiles } from '@sheaf/db/schema';
import type { SourceFileState } from '@sheaf/vocabulary/documents';

/** What is known of these paths, written as in the ledger. */
export const findSourceFiles = (db: Db, sourceId: string, paths: readonly string[]): Promise<SourceFile[]> =>
  db
    .select()
    .from(sourceFiles)
    .where(and(eq(sourceFiles.sourceId, sourceId), inArray(sourceFiles.path, [...paths])));

/** The files of a source that had these bytes, whatever became of them since. */
export const findFilesOfBytes = (db: Db, sourceId: string, sha256: string): Promise<SourceFile[]> =>
  db
    .select()
    .from(sourceFiles)
    .where(and(eq(sourceFiles.sourceId, sourceId), eq(sourceFiles.sha256, sha256), inArray(sourceFiles.state, ['ingested', 'duplicate'])))
    .orderBy(asc(sourceFiles.id));

export interface RecordedFile {
  readonly sourceId: string;
  readonly path: string;
  readonly version: RemoteVersion;
  readonly sha256: string | null;
  readonly state: SourceFileState;
  readonly documentId: string | null;
}

const versionFields = ({ etag, sizeBytes, modifiedAt }: RemoteVersion) => ({
  etag: etag ?? null,
  sizeBytes: sizeBytes ?? null,
  modifiedAt: modifiedAt ?? null,
});

/** Writes down what a file of a source is now, and that it is there. */
export const recordFile = async (tx: Db, { sourceId, path, version, sha256, state, documentId }: RecordedFile): Promise<void> => {
  const row = { ...versionFields(version), sha256, state, documentId, attempts: 0, nextAttemptAt: null, removedAt: null };
  await tx
    .insert(sourceFiles)
    .values({ sourceId, path, ...row })
    .onConflictDoUpdate({ target: [sourceFiles.sourceId, sourceFiles.path], set: { ...row, updatedAt: sql`now()` } });
};

/** A file that is not imported, judged by its name and size alone or, where it was opened, by its contents. */
export interface IgnoredFile {
  readonly path: string;
  readonly version: RemoteVersion;
  readonly wasOpened: boolean;
}

/**
 * Remembers files that are not imported; the document of what one of them was before stays its own. `attempts` tells those that
 * were opened, so that they are not opened again.
 */
export const recordIgnored = async (tx: Db, sourceId: string, files: readonly IgnoredFile[]): Promise<void> => {
  if (files.length === 0) return;
  await tx
    .insert(sourceFiles)
    .values(
      files.map(({ path, version, wasOpened }) => ({
        sourceId,
        path,
        ...versionFields(version),
        state: 'ignored' as const,
        attempts: wasOpened ? 1 : 0,
      })),
    )
    .onConflictDoUpdate({
      target: [sourceFiles.sourceId, sourceFiles.path],
      set: {
        etag: sql`excluded.etag`,
        sizeBytes: sql`excluded.size_bytes`,
        modifiedAt: sql`excluded.modified_at`,
        sha256: null,
        state: 'ignored',
        attempts: sql`excluded.attempts`,
        nextAttemptAt: null,
        removedAt: null,
        documentId: sql`case when source_files.state = 'duplicate' then null else source_files.document_id end`,
        updatedAt: sql`now()`,
      },
    });
};

export interface FailedTry {
  readonly sourceId: string;
  readonly path: string;
  readonly version: RemoteVersion;
  readonly nextAttemptAt: Date;
}

/** Counts a try that failed. What a file was that had been imported before stays remembered, so that the next try knows it. */
export const recordFailure = async (tx: Db, { sourceId, path, version, nextAttemptAt }: FailedTry): Promise<void> => {
  const fresh = { ...versionFields(version), state: 'failed' as const };
  await tx
    .insert(sourceFiles)
    .values({ sourceId, path, ...fresh, attempts: 1, nextAttemptAt })
    .onConflictDoUpdate({
      target: [sourceFiles.sourceId, sourceFiles.path],
      set: {
        state: sql`case when source_files.sha256 is null and source_files.document_id is null then 'failed' else source_files.state end`,
        attempts: sql`case source_files.state when 'ignored' then 0 else source_files.attempts end + 1`,
        nextAttemptAt,
        removedAt: null,
        updatedAt: sql`now()`,
      },
    });
};

/** The largest id among the files that are known of a source; 0 where there are none. */
export const findHighestFileId = async (db: Db, sourceId: string): Promise<number> => {
  const [row] = await db
    .select({ id: sql<number>`coalesce(max(${sourceFiles.id}), 0)::float8` })
    .from(sourceFiles)
    .where(eq(sourceFiles.sourceId, sourceId));
  return row?.id ?? 0;
};

/** Some of the files of a source that were there so far, in the order of their ids: those after `afterId`, up to `upToId`. */
export const listPresentFiles = (
  db: Db,
  sourceId: string,
  { afterId, upToId, limit }: { readonly afterId: number; readonly upToId: number; readonly limit: number },
): Promise<Pick<SourceFile, 'id' | 'path'>[]> =>
  db
    .select({ id: sourceFiles.id, path: sourceFiles.path })
    .from(sourceFiles)
    .where(and(eq(sourceFiles.sourceId, sourceId), isNull(sourceFiles.removedAt), gt(sourceFiles.id, afterId), lte(sourceFiles.id, upToId)))
    .orderBy(asc(sourceFiles.id))
    .limit(limit);

/** The row, locked until the end of the transaction. */
export const lockSourceFile = async (tx: Db, id: number): Promise<SourceFile | undefined> =>
  (await tx.select().from(sourceFiles).where(eq(sourceFiles.id, id)).for('update'))[0];

/** The files of all sources that are there and have this document. */
export const findFilesOfDocument = (db: Db, documentId: string): Promise<SourceFile[]> =>
  db
    .select()
    .from(sourceFiles)
    .where(and(eq(sourceFiles.documentId, documentId), isNull(sourceFiles.removedAt)))
    .orderBy(asc(sourceFiles.id));

/** Notes that a file is gone at its source. */
export const markFileRemoved = async (tx: Db, id: number): Promise<void> => {
  await tx.update(sourceFiles).set({ removedAt: sql`now()`, updatedAt: sql`now()` }).where(eq(sourceFiles.id, id));
};

/** Makes the file the one that the document comes from, which it was a duplicate of. */
export const adoptDocument = async (tx: Db, id: number): Promise<void> => {
  await tx.update(sourceFiles).set({ state: 'ingested', updatedAt: sql`now()` }).where(eq(sourceFiles.id, id));
};

export const forgetFiles = async (tx: Db, ids: readonly number[]): Promise<void> => {
  if (ids.length > 0) await tx.delete(sourceFiles).where(inArray(sourceFiles.id, [...ids]));
};

/**
 * Forgets by what the files of a source would be known again, as others may stand at their paths now: each is fetched once more.
 * What they became stays known, by their contents.
 */
export const forgetVersions = async (tx: Db, sourceId: string): Promise<void> => {
  await tx
    .update(sourceFiles)
    .set({ etag: null, sizeBytes: null, modifiedAt: null, attempts: 0, nextAttemptAt: null })
    .where(eq(sourceFiles.sourceId, sourceId));
};

/** Notes that files, unchanged, are at their source again, and so are their documents. */
export const markFilesBack = async (tx: Db, sourceId: string, ids: readonly number[]): Promise<void> => {
  if (ids.length === 0) return;
  const back = await tx
    .update(sourceFiles)
    .set({ removedAt: null, updatedAt: sql`now()` })
    .where(inArray(sourceFiles.id, [...ids]))
    .returning({ documentId: sourceFiles.documentId });
  await markDocumentsAtSource(
    tx,
    sourceId,
    back.flatMap(({ documentId }) => documentId ?? []),
  );
};

/** Takes back that the files of these documents are gone at the source they came from. */
export const markDocumentsAtSource = async (tx: Db, sourceId: string, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  await tx
    .update(documents)
    .set({ sourceRemovedAt: null, updatedAt: sql`now()` })
    .where(and(inArray(documents.id, [...ids]), eq(documents.sourceId, sourceId), sql`${documents.sourceRemovedAt} is not null`));
};

/** Notes on a document that its file is gone at the source; false where it is no document of this source. */
export const markDocumentRemoved = async (tx: Db, sourceId: string, id: string): Promise<boolean> =>
  (
    await tx
      .update(documents)
      .set({ sourceRemovedAt: sql`now()`, updatedAt: sql`now()` })
      .where(and(eq(documents.id, id), eq(documents.sourceId, sourceId), isNull(documents.sourceRemovedAt)))
      .returning({ id: documents.id })
  ).length > 0;

/** What a source says of one of its files. */
export interface RemoteVersion {
  readonly etag: string | undefined;
  readonly sizeBytes: number | undefined;
  readonly modifiedAt: Date | undefined;
}
