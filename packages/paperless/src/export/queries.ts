import type { Db } from '@sheaf/db';
import { asc, sql } from '@sheaf/db/drizzle';
import { documents, rules } from '@sheaf/db/schema';

/** The hashes of the files that several documents have, of different owners. */
export const findSharedFiles = async (db: Db): Promise<ReadonlySet<string>> => {
  const rows = await db.select({ sha256: documents.sha256 }).from(documents).groupBy(documents.sha256).having(sql`count(*) > 1`);
  return new Set(rows.map(({ sha256 }) => sha256));
};

/** The rules of all users, as far as they say what is done. */
export const readRules = (db: Db) =>
  db
    .select({
      id: rules.id,
      owner_id: rules.createdBy,
      name: rules.name,
      query: rules.query,
      filters: rules.filters,
      actions: rules.actions,
      position: rules.position,
      is_enabled: rules.isEnabled,
    })
    .from(rules)
    .orderBy(asc(rules.createdBy), asc(rules.position), asc(rules.id));
