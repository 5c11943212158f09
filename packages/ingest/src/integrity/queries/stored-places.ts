import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';

/** The storages that files are moved between, as the beginning of their `file_path` tells them. */
export type MovablePlace = 'local' | 's3';

/** Written with plain names, as it stands in queries of more than one form. */
const isAt = (place: MovablePlace): SQL => (place === 's3' ? sql`file_path like 's3://%'` : sql`file_path not like '%://%'`);

/** Bytes that at least one document has, now, in an earlier version, or in the trash. */
export interface ReferencedBytes {
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** Bytes of which a row says that they are at `place`, in the order of their hashes, from the first behind `after` on. */
export const listBytesAt = async (db: Db, place: MovablePlace, after: string, limit: number): Promise<ReferencedBytes[]> => {
  const { rows } = await db.execute<{ sha256: string; size_bytes: string }>(sql`
    select sha256, max(size_bytes) as size_bytes from kept_files where ${isAt(place)} and sha256 > ${after}
    group by sha256 order by sha256 limit ${limit}`);
  return rows.map((row) => ({ sha256: row.sha256, sizeBytes: Number(row.size_bytes) }));
};

/** How many different bytes are at `place`, and how large they are together. Reads all rows. */
export const countBytesAt = async (db: Db, place: MovablePlace): Promise<{ files: number; bytes: number }> => {
  const { rows } = await db.execute<{ files: string; bytes: string }>(sql`
    select count(*) as files, coalesce(sum(size_bytes), 0) as bytes
    from (select max(size_bytes) as size_bytes from kept_files where ${isAt(place)} group by sha256) as stored`);
  return { files: Number(rows[0]?.files), bytes: Number(rows[0]?.bytes) };
};

/** Some of the bytes at `place`, chosen at random. Reads all rows. */
export const sampleBytesAt = async (db: Db, place: MovablePlace, size: number): Promise<ReferencedBytes[]> => {
  const { rows } = await db.execute<{ sha256: string; size_bytes: string }>(sql`
    select sha256, size_bytes from (select sha256, max(size_bytes) as size_bytes from kept_files where ${isAt(place)} group by sha256) as stored
    order by random() limit ${size}`);
  return rows.map((row) => ({ sha256: row.sha256, sizeBytes: Number(row.size_bytes) }));
};

/** Where the rows with each of these bytes say that they are. Bytes without a row are absent. */
export const findPathsOfBytes = async (db: Db, hashes: readonly string[]): Promise<Map<string, string[]>> => {
  const paths = new Map<string, string[]>();
  if (hashes.length === 0) return paths;
  const { rows } = await db.execute<{ sha256: string; path: string }>(sql`
    select distinct sha256, file_path as path from kept_files where sha256 = any(${sql.param([...hashes])}::text[])`);
  for (const { sha256, path } of rows) paths.set(sha256, [...(paths.get(sha256) ?? []), path]);
  return paths;
};

/** The ids of the documents with these bytes, at most `limit`. */
export const findDocumentsOfBytes = async (db: Db, sha256: string, limit: number): Promise<string[]> => {
  const { rows } = await db.execute<{ id: string }>(sql`
    select distinct document_id as id from kept_files where sha256 = ${sha256} order by document_id limit ${limit}`);
  return rows.map(({ id }) => id);
};

/** A row that refers to stored bytes: of a document, of an earlier version, or of a document in the trash. */
export interface PlacedRow {
  readonly filePath: string;
  /** Whether a worker may be reading the bytes for it. */
  readonly isProcessing: boolean;
}

interface LockedRow extends Record<string, unknown> {
  readonly file_path: string;
  readonly is_processing: boolean;
}

/**
 * The rows with these bytes, locked until the end of the transaction. Lock the stored bytes first. Documents come first: what becomes
 * an earlier version or goes to the trash meanwhile is found there, and what comes back holds the bytes itself.
 */
export const lockRowsOfBytes = async (tx: Db, sha256: string): Promise<PlacedRow[]> => {
  const lock = async (columns: SQL, from: SQL, order: SQL): Promise<readonly LockedRow[]> =>
    (
      await tx.execute<LockedRow>(
        // in an order that others have as well, so that nobody waits in a circle
        sql`select ${columns} from ${from} where sha256 = ${sha256} order by ${order} for no key update`,
      )
    ).rows;
  const idle = sql`file_path, false as is_processing`;
  const rows = [
    ...(await lock(sql`file_path, status = 'processing' as is_processing`, sql`documents`, sql`id`)),
    ...(await lock(idle, sql`document_versions`, sql`document_id, version`)),
    ...(await lock(idle, sql`trashed_documents`, sql`id`)),
  ];
  return rows.map(({ file_path, is_processing }) => ({ filePath: file_path, isProcessing: is_processing }));
};

/** Changes the path in all rows with these bytes that `condition` holds for; returns how many. */
const setPath = async (tx: Db, sha256: string, path: string, condition: SQL): Promise<number> => {
  let changed = 0;
  for (const table of [sql`documents`, sql`document_versions`, sql`trashed_documents`]) {
    const { rowCount } = await tx.execute(sql`update ${table} set file_path = ${path} where sha256 = ${sha256} and ${condition}`);
    changed += rowCount ?? 0;
  }
  return changed;
};

/** Says of all rows with these bytes that are at `from` that they are at `path`; returns how many. To people nothing changed. */
export const moveRowsOfBytes = (tx: Db, sha256: string, from: MovablePlace, path: string): Promise<number> =>
  setPath(tx, sha256, path, isAt(from));

/** Says of all rows with these bytes where they lie. Hold `lockStoredBytes`. */
export const placeBytes = async (tx: Db, sha256: string, path: string): Promise<void> => {
  await setPath(tx, sha256, path, sql`true`);
};
