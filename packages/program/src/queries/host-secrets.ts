import type { Db } from '@sheaf/db';
import { and, gt, ne, sql } from '@sheaf/db/drizzle';
import { processes } from '@sheaf/db/schema';

interface OwnSecret {
  readonly variable: string;
  readonly mark: string;
  /** The host of this process. */
  readonly besides: string;
  readonly since: Date;
}

/** Another host with a process that was heard of since `since` and has another secret under this name. */
export const findOtherSecret = async (db: Db, { variable, mark, besides, since }: OwnSecret): Promise<string | undefined> => {
  const [row] = await db
    .select({ host: processes.host })
    .from(processes)
    .where(
      and(ne(processes.host, besides), gt(processes.seenAt, since), sql`${processes.facts} -> 'secrets' ->> ${variable}::text <> ${mark}`),
    )
    .limit(1);
  return row?.host;
};
