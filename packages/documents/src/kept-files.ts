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
