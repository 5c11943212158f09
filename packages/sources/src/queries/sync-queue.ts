import { type Db, readRoles } from '@sheaf/db';
import { and, asc, eq, inArray, lte, type SQL, sql } from '@sheaf/db/drizzle';
import { type Source, type SyncRun, sources, syncRuns } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import { type ConfiguredRoles, rolesForAny } from '@sheaf/vocabulary/permissions';
import type { RunState, SourceProblem, SourceType } from '@sheaf/vocabulary/sources';

/** Which sources are run over. */
export interface RunnableSources {
  readonly types: readonly SourceType[];
  /** They tell who may make documents: what somebody may not do themselves their sources do not do for them. */
  readonly roles: ConfiguredRoles;
}

/** Whether the owner of a source is active and may make documents. Written with plain names, as these stand in queries of one table. */
const mayOwnerMakeDocuments = async (db: Db, configured: ConfiguredRoles): Promise<SQL<boolean>> => {
  const roles = rolesForAny(await readRoles(db, configured), 'documents.create');
  return sql<boolean>`exists (
    select from users where users.id = sources.owner_id and users.disabled_at is null and users.role = any(${sql.param(roles)}::text[]))`;
};

/** A run with the source that it is over. */
export interface SourceRunRow {
  readonly run: SyncRun;
  readonly source: Source;
}

/** Makes a run of each source that is enabled and due, unless one waits or runs, or its owner may make no documents. */
export const queueDueRuns = async (db: Db, { types, roles }: RunnableSources): Promise<void> => {
  const due = await db
    .select({ id: sources.id })
    .from(sources)
    .where(
      and(
        eq(sources.isEnabled, true),
        inArray(sources.type, [...types]),
        lte(sources.nextSyncAt, sql`now()`),
        await mayOwnerMakeDocuments(db, roles),
      ),
    )
    .orderBy(asc(sources.nextSyncAt))
    .limit(100);
  if (due.length === 0) return;
  await db
    .insert(syncRuns)
    .values(due.map(({ id }) => ({ id: uuidv7(), sourceId: id, trigger: 'schedule' as const })))
    .onConflictDoNothing({ target: syncRuns.sourceId, where: sql`state in ('queued', 'running')` });
};

/** The runs that have not ended: those that were begun first, then the longest waiting. */
export const listOpenRuns = (db: Db, types: readonly SourceType[]): Promise<SourceRunRow[]> =>
  db
    .select({ run: syncRuns, source: sources })
    .from(syncRuns)
    .innerJoin(sources, eq(sources.id, syncRuns.sourceId))
    .where(and(inArray(syncRuns.state, ['queued', 'running']), inArray(sources.type, [...types])))
    .orderBy(sql`${syncRuns.startedAt} nulls last`, asc(syncRuns.createdAt), asc(syncRuns.id))
    .limit(100);

/** Whoever changes a run and its source locks the source first, as the interface does: in the other order they wait for each other. */
const lockSourceOfRun = async (tx: Db, sourceId: string): Promise<void> => {
  await tx.select({ id: sources.id }).from(sources).where(eq(sources.id, sourceId)).for('no key update');
};

/**
 * Begins a run, or goes on with it; undefined where it ended meanwhile. Its source is not due again before its interval, so that a
 * run that is cancelled is not followed by the next one at once.
 */
export const beginRun = async (tx: Db, { run, source }: SourceRunRow): Promise<SyncRun | undefined> => {
  await lockSourceOfRun(tx, source.id);
  const [begun] = await tx
    .update(syncRuns)
    .set({ state: 'running', startedAt: sql`coalesce(started_at, now())` })
    .where(and(eq(syncRuns.id, run.id), inArray(syncRuns.state, ['queued', 'running'])))
    .returning();
  if (begun !== undefined && run.state === 'queued')
    await tx.update(sources).set({ nextSyncAt: SYNC_AT_AFTER_INTERVAL }).where(eq(sources.id, source.id));
  return begun;
};

/** How far a run has come. */
export type RunCounters = Pick<
  SyncRun,
  'processed' | 'total' | 'added' | 'updated' | 'moved' | 'removed' | 'skipped' | 'failed' | 'bytes' | 'currentFile'
>;

/** What has become of a run and its source since the last look. */
export interface RunNews {
  readonly isCancelled: boolean;
  readonly isEnabled: boolean;
  readonly mayOwnerMakeDocuments: boolean;
  /** When the source was changed last. */
  readonly changedAt: Date;
}

/** Writes how far the run has come, and answers what is new; undefined where it is over, or the source gone. */
export const saveRun = async (db: Db, runId: string, counters: RunCounters, { roles }: RunnableSources): Promise<RunNews | undefined> => {
  const [saved] = await db
    .update(syncRuns)
    .set(counters)
    .from(sources)
    .where(and(eq(syncRuns.id, runId), eq(syncRuns.state, 'running'), eq(sources.id, syncRuns.sourceId)))
    .returning({
      cancelRequestedAt: syncRuns.cancelRequestedAt,
      isEnabled: sources.isEnabled,
      changedAt: sources.updatedAt,
      mayOwnerMakeDocuments: await mayOwnerMakeDocuments(db, roles),
    });
  if (saved === undefined) return undefined;
  const { cancelRequestedAt, ...news } = saved;
  return { ...news, isCancelled: cancelRequestedAt !== null };
};

/** Ends a run, and locks its source for `noteRunOfSource`; false where it is over already, or the source gone. */
export const endRun = async (
  tx: Db,
  { id, sourceId }: Pick<SyncRun, 'id' | 'sourceId'>,
  state: Extract<RunState, 'completed' | 'failed' | 'cancelled'>,
  fields: RunCounters & { readonly error: string | null; readonly errorCode: SourceProblem | null },
): Promise<boolean> => {
  await lockSourceOfRun(tx, sourceId);
  const ended = await tx
    .update(syncRuns)
    .set({ ...fields, state, currentFile: null, finishedAt: sql`now()` })
    .where(and(eq(syncRuns.id, id), inArray(syncRuns.state, ['queued', 'running'])))
    .returning({ id: syncRuns.id });
  return ended.length > 0;
};

/** What is wrong with a source: for programs, and in words. */
export interface SourceTrouble {
  readonly code: SourceProblem;
  readonly message: string;
}

export interface SourceResult {
  /** Undefined: it went well. */
  readonly problem: SourceTrouble | undefined;
  /** Undefined: only by hand. */
  readonly nextAfterMs: number | undefined;
}

/**
 * Writes on the source how its run ended, and when the next one is due. Somebody who changed the source meanwhile, and has it run
 * again at once, is heard.
 */
export const noteRunOfSource = async (tx: Db, run: SyncRun, { problem, nextAfterMs }: SourceResult): Promise<void> => {
  const next = nextAfterMs === undefined ? sql`null` : sql`now() + ${nextAfterMs} * interval '1 millisecond'`;
  await tx
    .update(sources)
    .set({
      ...(problem === undefined
        ? { lastSyncAt: sql`now()`, failures: 0, lastError: null, lastErrorCode: null }
        : { failures: sql`failures + 1`, lastError: problem.message, lastErrorCode: problem.code }),
      nextSyncAt: sql`case when updated_at > ${run.startedAt?.toISOString() ?? null}::timestamptz and next_sync_at <= now() then next_sync_at else ${next} end`,
    })
    .where(eq(sources.id, run.sourceId));
};

/** The sources that are enabled, of owners who may have them run, and whose connection was not looked at for so long. */
export const listUncheckedSources = async (db: Db, { types, roles }: RunnableSources, olderThanMs: number): Promise<Source[]> =>
  db
    .select()
    .from(sources)
    .where(
      and(
        eq(sources.isEnabled, true),
        inArray(sources.type, [...types]),
        await mayOwnerMakeDocuments(db, roles),
        sql`(${sources.checkedAt} is null or ${sources.checkedAt} <= now() - ${olderThanMs} * interval '1 millisecond')`,
      ),
    )
    .orderBy(sql`${sources.checkedAt} nulls first`)
    .limit(100);

/** Writes what a look at the connection said; false where the source was changed since it was read, or is gone. */
export const noteCheck = async (tx: Db, source: Source, problem: SourceTrouble | undefined): Promise<boolean> =>
  (
    await tx
      .update(sources)
      .set({
        isReachable: problem === undefined,
        checkMessage: problem?.message ?? null,
        checkCode: problem?.code ?? null,
        checkedAt: sql`now()`,
      })
      // its milliseconds: JavaScript knows no finer ones
      .where(and(eq(sources.id, source.id), sql`date_trunc('milliseconds', ${sources.updatedAt}) = ${source.updatedAt.toISOString()}`))
      .returning({ id: sources.id })
  ).length > 0;

type Interval = Pick<Source, 'syncIntervalSeconds'>;

/** How long after a sync of a source the next one is due, in milliseconds; 0 where it syncs on request alone. */
export const intervalMsOf = ({ syncIntervalSeconds }: Interval): number => syncIntervalSeconds * 1_000;

/** When a new source is synced first: at once, or null where it syncs on request alone. */
export const firstSyncAt = (source: Interval, now: Date): Date | null => (intervalMsOf(source) === 0 ? null : now);

/** When one that gets `fields` is synced next. `isNewTry` says that what is changed may mend what has failed before. */
export const nextSyncAtAfterChange = (
  source: Source,
  fields: Interval & Pick<Source, 'isEnabled'>,
  { isNewTry, now }: { readonly isNewTry: boolean; readonly now: Date },
): Date | null => {
  const intervalMs = intervalMsOf(fields);
  if (intervalMs === 0) return null;
  if (isNewTry || (fields.isEnabled && !source.isEnabled)) return now;
  if (intervalMs === intervalMsOf(source)) return source.nextSyncAt;
  return source.lastSyncAt === null ? now : new Date(source.lastSyncAt.getTime() + intervalMs);
};

/** For an update of `sources`: an interval from now, or null where a source syncs on request alone. */
const SYNC_AT_AFTER_INTERVAL: SQL = sql`case when sync_interval_seconds > 0 then now() + sync_interval_seconds * interval '1 second' end`;
