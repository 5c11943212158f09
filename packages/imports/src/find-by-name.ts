import type { Db } from '@sheaf/db';
import { and, asc, desc, eq, type SQL, sql } from '@sheaf/db/drizzle';
import type { correspondents, documentTypes, labels } from '@sheaf/db/schema';

/** Why something that an earlier import made is not set on a document. */
export const DELETED_HERE = 'It was deleted here after an earlier import, and is not made again';

/** The administrator's own entry of this name, or the oldest, whatever its case; `place` says where it may stand. */
export const findByName = async (
  db: Db,
  table: typeof labels | typeof correspondents | typeof documentTypes,
  name: string,
  userId: string,
  place?: SQL,
): Promise<string | undefined> =>
  (
    await db
      .select({ id: table.id })
      .from(table)
      .where(and(sql`lower(${table.name}) = lower(${name})`, place))
      .orderBy(desc(eq(table.createdBy, userId)), asc(table.createdAt), asc(table.id))
      .limit(1)
  )[0]?.id;
