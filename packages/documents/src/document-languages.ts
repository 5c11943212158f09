import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';

/** The languages of scanned pages that could not be recognised in them and are not among `installed` yet, the most usual first. */
export const listMissingLanguages = async (db: Db, installed: readonly string[]): Promise<string[]> => {
  const { rows } = await db.execute<{ language: string }>(sql`
    select missing_language as language from documents
    where missing_language is not null and missing_language <> all(${sql.param([...installed])}::text[])
    group by missing_language order by count(*) desc, missing_language limit ${MOST_MISSING}`);
  return rows.map(({ language }) => language);
};

const MOST_MISSING = 10;
