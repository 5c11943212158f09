import type { Db } from '@sheaf/db';
import { and, desc, eq, gt, lt, ne, type SQL, sql } from '@sheaf/db/drizzle';
import { type ProcessRow, processes } from '@sheaf/db/schema';

export interface ProcessFields extends Omit<ProcessRow, 'seenAt' | 'startedAt'> {
  /** When its first heartbeat was recorded unless given. */
  readonly startedAt?: Date;
}

/** Makes or refreshes the row of a process, seen at `now`. Hosts have clocks of their own, so the times are those of the database. */
export const recordHeartbeat = async (db: Db, fields: ProcessFields, now: Date | SQL = sql`now()`): Promise<void> => {
  const { id: _, startedAt, ...changing } = fields;
  await db
    .insert(processes)
    .values({ ...fields, startedAt: startedAt ?? now, seenAt: now })
    .onConflictDoUpdate({ target: processes.id, set: { ...changing, seenAt: now } });
};

export const deleteProcess = async (db: Db, id: string): Promise<void> => {
  await db.delete(processes).where(eq(processes.id, id));
};

/** Processes heard of since `since`, the newest first. */
export const listProcesses = (db: Db, since: Date): Promise<ProcessRow[]> =>
  db.select().from(processes).where(gt(processes.seenAt, since)).orderBy(desc(processes.startedAt));

/** Whether a process of a kind other than the one with `id` was heard of since `since`. */
export const hasOtherProcess = async (
  db: Db,
  { name, id, since }: { readonly name: string; readonly id: string; readonly since: Date },
): Promise<boolean> => {
  const found = await db
    .select({ id: processes.id })
    .from(processes)
    .where(and(eq(processes.name, name), ne(processes.id, id), gt(processes.seenAt, since)))
    .limit(1);
  return found.length > 0;
};

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
