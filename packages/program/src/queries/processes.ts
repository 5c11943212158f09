import type { Db } from '@sheaf/db';
import { and, desc, eq, gt, lt, sql } from '@sheaf/db/drizzle';
import { type ProcessRow, processes } from '@sheaf/db/schema';

export type ProcessFields = Omit<ProcessRow, 'seenAt'>;

/** Makes or refreshes the row of a process. */
export const recordHeartbeat = async (db: Db, fields: ProcessFields, now: Date): Promise<void> => {
  const { id: _, ...changing } = fields;
  await db
    .insert(processes)
    .values({ ...fields, seenAt: now })
    .onConflictDoUpdate({ target: processes.id, set: { ...changing, seenAt: now } });
};

export const deleteProcess = async (db: Db, id: string): Promise<void> => {
  await db.delete(processes).where(eq(processes.id, id));
};

/** Processes heard of since `since`, the newest first. */
export const listProcesses = (db: Db, since: Date): Promise<ProcessRow[]> =>
  db.select().from(processes).where(gt(processes.seenAt, since)).orderBy(desc(processes.startedAt));

/** Processes heard of since `since` that do not say of themselves that they know all of `places`, where documents are stored. */
export const listProcessesWithoutPlaces = (db: Db, since: Date, places: readonly string[]): Promise<ProcessRow[]> =>
  db
    .select()
    .from(processes)
    .where(
      and(gt(processes.seenAt, since), sql`not coalesce(${processes.facts} -> 'storages' ?& ${sql.param([...places])}::text[], false)`),
    )
    .orderBy(processes.name, processes.pid);

export const deleteProcessesBefore = async (db: Db, before: Date): Promise<void> => {
  await db.delete(processes).where(lt(processes.seenAt, before));
};
