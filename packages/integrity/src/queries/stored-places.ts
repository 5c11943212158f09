import type { Db } from '@sheaf/db';
import { and, asc, eq, inArray, type SQL, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import type { DocumentStatus } from '@sheaf/vocabulary/documents';

/** The storages that documents are moved between, as the beginning of `documents.file_path` tells them. */
export type MovablePlace = 'local' | 's3';

/** Written with plain names, as it stands in queries of more than one form. */
const isAt = (place: MovablePlace): SQL => (place === 's3' ? sql`file_path like 's3://%'` : sql`file_path not like '%://%'`);

/** Bytes that at least one document has. */
export interface ReferencedBytes {
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** Bytes of which a document says that they are at `place`, in the order of their hashes, from the first behind `after` on. */
export const listBytesAt = async (db: Db, place: MovablePlace, after: string, limit: number): Promise<ReferencedBytes[]> => {
  const { rows } = await db.execute<{ sha256: string; size_bytes: string }>(sql`
    select sha256, max(size_bytes) as size_bytes from documents where ${isAt(place)} and sha256 > ${after}
    group by sha256 order by sha256 limit ${limit}`);
  return rows.map((row) => ({ sha256: row.sha256, sizeBytes: Number(row.size_bytes) }));
};

/** How many different bytes are at `place`, and how large they are together. Reads all documents. */
export const countBytesAt = async (db: Db, place: MovablePlace): Promise<{ files: number; bytes: number }> => {
  const { rows } = await db.execute<{ files: string; bytes: string }>(sql`
    select count(*) as files, coalesce(sum(size_bytes), 0) as bytes
    from (select max(size_bytes) as size_bytes from documents where ${isAt(place)} group by sha256) as stored`);
  return { files: Number(rows[0]?.files), bytes: Number(rows[0]?.bytes) };
};

/** Some of the bytes at `place`, chosen at random. Reads all documents. */
export const sampleBytesAt = async (db: Db, place: MovablePlace, size: number): Promise<ReferencedBytes[]> => {
  const { rows } = await db.execute<{ sha256: string; size_bytes: string }>(sql`
    select sha256, size_bytes from (select sha256, max(size_bytes) as size_bytes from documents where ${isAt(place)} group by sha256) as stored
    order by random() limit ${size}`);
  return rows.map((row) => ({ sha256: row.sha256, sizeBytes: Number(row.size_bytes) }));
};

/** Where the documents with each of these bytes say that they are. Bytes without a document are absent. */
export const findPathsOfBytes = async (db: Db, hashes: readonly string[]): Promise<Map<string, string[]>> => {
  const paths = new Map<string, string[]>();
  if (hashes.length === 0) return paths;
  const rows = await db
    .selectDistinct({ sha256: documents.sha256, path: documents.filePath })
    .from(documents)
    .where(inArray(documents.sha256, [...hashes]));
  for (const { sha256, path } of rows) paths.set(sha256, [...(paths.get(sha256) ?? []), path]);
  return paths;
};

/** The ids of the documents with these bytes, at most `limit`. */
export const findDocumentsOfBytes = async (db: Db, sha256: string, limit: number): Promise<string[]> => {
  const rows = await db
    .select({ id: documents.id })
    .from(documents)
    .where(eq(documents.sha256, sha256))
    .orderBy(asc(documents.id))
    .limit(limit);
  return rows.map(({ id }) => id);
};

/** A document, as far as where its bytes are is concerned. */
export interface PlacedDocument {
  readonly filePath: string;
  readonly status: DocumentStatus;
}

/** The documents with these bytes, locked until the end of the transaction. Lock the stored bytes first. */
export const lockDocumentsOfBytes = (tx: Db, sha256: string): Promise<PlacedDocument[]> =>
  tx
    .select({ filePath: documents.filePath, status: documents.status })
    .from(documents)
    .where(eq(documents.sha256, sha256))
    .orderBy(asc(documents.id)) // as others lock them, so that nobody waits in a circle
    .for('no key update');

/** Says of all documents with these bytes that are at `from` that they are at `path`; returns how many. To people nothing changed. */
export const moveDocumentsOfBytes = async (tx: Db, sha256: string, from: MovablePlace, path: string): Promise<number> => {
  const { rowCount } = await tx
    .update(documents)
    .set({ filePath: path })
    .where(and(eq(documents.sha256, sha256), isAt(from)));
  return rowCount ?? 0;
};
