import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';

// The view `kept_files` has the files of documents, of their earlier versions, and of documents in the trash.

/** Those of `hashes` that some row refers to: a document, an earlier version of one, or the trash. */
export const referencedHashes = async (db: Db, hashes: readonly string[]): Promise<Set<string>> => {
  if (hashes.length === 0) return new Set();
  const { rows } = await db.execute<{ sha256: string }>(
    sql`select distinct sha256 from kept_files where sha256 = any(${sql.param([...hashes])}::text[])`,
  );
  return new Set(rows.map(({ sha256 }) => sha256));
};

/** Whether some row refers to this one. Not a list of one, which would be planned anew each time. */
export const isHashReferenced = async (db: Db, sha256: string): Promise<boolean> =>
  (await db.execute(sql`select from kept_files where sha256 = ${sha256} limit 1`)).rows.length > 0;

/** Whether any row refers to a stored file. */
export const hasKeptFiles = async (db: Db): Promise<boolean> => (await db.execute(sql`select from kept_files limit 1`)).rows.length > 0;

/** Whether there are files in a folder of this machine that rows refer to: elsewhere a path has a scheme. */
export const hasLocalDocuments = async (db: Db): Promise<boolean> =>
  (await db.execute(sql`select from kept_files where file_path not like '%://%' limit 1`)).rows.length > 0;

/** First key of the advisory locks over stored bytes ("shb" in hexadecimal). */
export const BYTES_LOCKS = 0x73_68_62;

/**
 * Holds the bytes with this hash until the end of the transaction: shared by those who make rows that refer to them, alone by
 * the one who removes them because no row does.
 */
export const lockStoredBytes = async (tx: Db, sha256: string, mode: 'share' | 'alone'): Promise<void> => {
  const lock = mode === 'share' ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`;
  await tx.execute(sql`select ${lock}(${BYTES_LOCKS}, hashtext(${sha256}))`);
};

/** Advisory lock that a backup holds alone while it copies files, and everyone shares who removes some ("shk" in hexadecimal). */
export const FILES_IN_BACKUP_LOCK = [0x73_68_6b, 1] as const;

/**
 * Keeps backups from beginning until the end of the transaction, because it removes bytes. False while one runs: its snapshot may
 * have rows that refer to them, so they stay, for the sweep to find.
 */
export const holdOffBackup = async (tx: Db): Promise<boolean> => {
  const [space, key] = FILES_IN_BACKUP_LOCK;
  const { rows } = await tx.execute<{ held: boolean }>(sql`select pg_try_advisory_xact_lock_shared(${space}::int, ${key}::int) as held`);
  return rows[0]?.held === true;
};
