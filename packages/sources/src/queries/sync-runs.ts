import { type AppError, codedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { and, desc, eq, inArray, sql } from '@sheaf/db/drizzle';
import { type SyncRun, syncRuns } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import type { RunState } from '@sheaf/vocabulary/sources';
import { nudgeSync } from './sources.ts';

const OPEN = ['queued', 'running'] as const satisfies readonly RunState[];

const syncRunning = (sourceId: string, runId: string | undefined): AppError =>
  codedError('DUPLICATE_RESOURCE', 'SYNC_RUNNING', { source_id: sourceId, job_id: runId ?? null });

/** The last run over a source, if there was one. */
export const findLastRun = async (db: Db, sourceId: string): Promise<SyncRun | undefined> =>
  (
    await db.select().from(syncRuns).where(eq(syncRuns.sourceId, sourceId)).orderBy(desc(syncRuns.createdAt), desc(syncRuns.id)).limit(1)
  )[0];

const findOpenRun = async (db: Db, sourceId: string): Promise<string | undefined> =>
  (
    await db
      .select({ id: syncRuns.id })
      .from(syncRuns)
      .where(and(eq(syncRuns.sourceId, sourceId), inArray(syncRuns.state, [...OPEN])))
  )[0]?.id;

/** Asks for a run and answers its id. Throws SYNC_RUNNING while one waits or runs. */
export const requestRun = async (tx: Db, sourceId: string, requestedBy: string): Promise<string> => {
  const [run] = await tx
    .insert(syncRuns)
    .values({ id: uuidv7(), sourceId, trigger: 'manual', requestedBy })
    .onConflictDoNothing({ target: syncRuns.sourceId, where: sql`state in ('queued', 'running')` })
    .returning({ id: syncRuns.id });
  if (run === undefined) throw syncRunning(sourceId, await findOpenRun(tx, sourceId));
  await nudgeSync(tx, sourceId);
  return run.id;
};

/**
 * Ends the run of a source that waits, and asks the one that runs to end; answers its id and state, or undefined where there is
 * none. `states` says which of them are meant.
 */
export const cancelRun = async (
  tx: Db,
  sourceId: string,
  states: readonly (typeof OPEN)[number][] = OPEN,
): Promise<{ id: string; state: RunState } | undefined> => {
  const [run] = await tx
    .update(syncRuns)
    .set({
      cancelRequestedAt: sql`coalesce(cancel_requested_at, now())`,
      state: sql`case when state = 'queued' then 'cancelled' else state end`,
      finishedAt: sql`case when state = 'queued' then now() end`,
    })
    .where(and(eq(syncRuns.sourceId, sourceId), inArray(syncRuns.state, [...states])))
    .returning({ id: syncRuns.id, state: syncRuns.state });
  if (run !== undefined) await nudgeSync(tx, sourceId);
  return run;
};
