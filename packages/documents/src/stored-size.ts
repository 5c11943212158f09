import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';

/** What all documents take, with their earlier versions and what lies in the trash. */
export interface StoredSize {
  /** Without those in the trash. */
  readonly documents: number;
  readonly bytes: number;
}

/** How many documents there are, and how large all kept files, whoever owns them. Reads through an index of all documents. */
export const readStoredSize = async (db: Db): Promise<StoredSize> => {
  const { rows } = await db.execute<{ documents: number; bytes: number }>(
    sql`select (count(*) filter (where kept_as = 'document'))::int as documents, coalesce(sum(size_bytes), 0)::float8 as bytes from kept_files`,
  );
  return rows[0] ?? { documents: 0, bytes: 0 };
};
