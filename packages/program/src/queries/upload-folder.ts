import type { Db } from '@sheaf/db';
import { and, desc, eq, gt, ne, sql } from '@sheaf/db/drizzle';
import { documents, processes, settings } from '@sheaf/db/schema';

const KEY = 'upload_folder_id';

/** The id of the folder that documents are stored in; `proposed` becomes it where there is none yet. */
export const claimUploadFolderId = async (db: Db, proposed: string): Promise<string> => {
  await db.insert(settings).values({ key: KEY, value: proposed }).onConflictDoNothing();
  const [row] = await db.select({ value: settings.value }).from(settings).where(eq(settings.key, KEY));
  return String(row?.value);
};

/** Paths of some documents whose bytes are in a folder, the newest first: elsewhere a path has a scheme. */
export const someLocalPaths = async (db: Db, limit: number): Promise<readonly string[]> => {
  const rows = await db
    .select({ path: documents.filePath })
    .from(documents)
    .where(sql`${documents.filePath} not like '%://%'`)
    .orderBy(desc(documents.createdAt))
    .limit(limit);
  return rows.map(({ path }) => path);
};

/** Another host that a process was heard of from since `since`. */
export const findOtherHost = async (db: Db, host: string, since: Date): Promise<string | undefined> => {
  const [row] = await db
    .select({ host: processes.host })
    .from(processes)
    .where(and(ne(processes.host, host), gt(processes.seenAt, since)))
    .limit(1);
  return row?.host;
};
