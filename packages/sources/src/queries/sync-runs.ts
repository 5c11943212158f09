import { type AppError, codedError } from '@sheaf/contract';
import { type Cut, type CutRequest, type Db, makeKeyset, sourcesFor, toCut } from '@sheaf/db';
import { and, asc, count, desc, eq, inArray, or, sql } from '@sheaf/db/drizzle';
import { type Source, type SourceFields, type SyncRun, sources, syncRuns } from '@sheaf/db/schema';
import { tallied } from '@sheaf/documents';
import { uuidv7 } from '@sheaf/process';
import { CHANNELS } from '@sheaf/vocabulary/events';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { SourceSortField } from '@sheaf/vocabulary/sort-fields';
import type { RunState, SourceStatus, SourceType } from '@sheaf/vocabulary/sources';

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

/** A source as people see it. */
export interface CountedSource {
  readonly source: Source;
  /** Whether a run waits or runs. */
  readonly isSyncing: boolean;
  /** Of the documents that the caller may read. */
  readonly documents: number;
}

// Written with plain names: in a query of one table drizzle leaves the table's name off its columns.
const isSyncing = sql<boolean>`exists (select from sync_runs where sync_runs.source_id = sources.id and sync_runs.state in ('queued', 'running'))`;

const statusOf = sql<SourceStatus>`case
  when not sources.is_enabled then 'disabled' when ${isSyncing} then 'syncing' when sources.failures > 0 then 'error' else 'active' end`;

const countedFields = (principal: Principal) => ({
  source: sources,
  isSyncing,
  documents: sql<number>`${tallied(principal, { sourceId: sql`sources.id` })}`,
});

const selectCounted = (db: Db, principal: Principal) => db.select(countedFields(principal)).from(sources);

const sourceNotFound = (id: string): AppError => codedError('NOT_FOUND', 'SOURCE_NOT_FOUND', { source_id: id });

/** The source, if `principal` may do `action` on it. Throws SOURCE_NOT_FOUND otherwise. */
export const getSource = async (
  db: Db,
  principal: Principal,
  id: string,
  action: 'sources.read' | 'sources.create' | 'sources.update' = 'sources.read',
): Promise<CountedSource> => {
  const [row] = await selectCounted(db, principal).where(and(eq(sources.id, id), sourcesFor(principal, action)));
  if (row === undefined) throw sourceNotFound(id);
  return row;
};

interface SourceListRequest {
  readonly page: number;
  readonly perPage: number;
  readonly sort: SourceSortField;
  readonly order: 'asc' | 'desc';
}

/** The address of a source as people see it, but for the spelling of odd characters. */
const addressOf = sql`case sources.type
  when 'local_folder' then 'file://' || (sources.settings ->> 'path')
  when 's3' then 's3://' || (sources.settings ->> 'bucket') || '/' || coalesce(sources.settings ->> 'prefix', '')
  else sources.url end`;

/** What a source does not have, such as a good run, stands below any. */
const keysFor = (principal: Principal) =>
  ({
    name: { by: sql`lower(sources.name)`, type: 'text' },
    type: { by: sources.type, type: 'text' },
    created_at: { by: sources.createdAt, type: 'timestamptz' },
    last_sync: { by: sources.lastSyncAt, type: 'timestamptz', mayBeMissing: true },
    id: { by: sources.id, type: 'uuid' },
    url: { by: addressOf, type: 'text', mayBeMissing: true },
    status: { by: statusOf, type: 'text' },
    next_sync: { by: sql`case when sources.is_enabled then sources.next_sync_at end`, type: 'timestamptz', mayBeMissing: true },
    document_count: { by: countedFields(principal).documents, type: 'integer' },
    owner_id: { by: sources.ownerId, type: 'uuid' },
    sync_interval: { by: sources.syncIntervalSeconds, type: 'integer' },
    recursive: { by: sources.isRecursive, type: 'boolean' },
    username: { by: sources.username, type: 'text', mayBeMissing: true },
    has_secret: { by: sql`sources.sealed_secret is not null`, type: 'boolean' },
    enabled: { by: sources.isEnabled, type: 'boolean' },
    last_error: { by: sources.lastError, type: 'text', mayBeMissing: true },
    last_error_code: { by: sources.lastErrorCode, type: 'text', mayBeMissing: true },
    updated_at: { by: sources.updatedAt, type: 'timestamptz' },
  }) as const satisfies Record<SourceSortField, unknown>;

const keysetOf = (principal: Principal, { sort, order }: Pick<SourceListRequest, 'sort' | 'order'>) =>
  makeKeyset(order, [keysFor(principal)[sort], { by: sources.id, type: 'uuid' }]);

/** One page of the sources that `principal` may read, and how many there are. */
export const listSources = async (
  db: Db,
  principal: Principal,
  request: SourceListRequest,
): Promise<{ rows: CountedSource[]; total: number }> => {
  const where = sourcesFor(principal, 'sources.read');
  const [rows, counted] = await Promise.all([
    selectCounted(db, principal)
      .where(where)
      .orderBy(keysetOf(principal, request).order)
      .limit(request.perPage)
      .offset((request.page - 1) * request.perPage),
    db.select({ total: count() }).from(sources).where(where),
  ]);
  return { rows, total: counted[0]?.total ?? 0 };
};

/** The sources that `principal` may read behind `after`, at most `limit`. */
export const listSourcesAfter = async (
  db: Db,
  principal: Principal,
  { sort, order, after, limit }: Pick<SourceListRequest, 'sort' | 'order'> & CutRequest,
): Promise<Cut<CountedSource>> => {
  const keyset = keysetOf(principal, { sort, order });
  const found = await db
    .select({ ...countedFields(principal), position: keyset.position })
    .from(sources)
    .where(and(sourcesFor(principal, 'sources.read'), keyset.behind(after)))
    .orderBy(keyset.order)
    .limit(limit + 1);
  return toCut(found, limit, (row) => ({ source: row.source, isSyncing: row.isSyncing, documents: row.documents }));
};

/** Tells the sync process to look at the source: a run was asked for or is to end, or the source changed or is gone. */
const nudgeSync = async (tx: Db, sourceId: string): Promise<void> => {
  await tx.execute(sql`select pg_notify(${CHANNELS.sources}, ${sourceId})`);
};

type NewSource = SourceFields & Pick<Source, 'ownerId' | 'type'> & { readonly nextSyncAt: Date | null };

/** Makes a source. The caller makes the id, as what seals its secret has to know it. */
export const createSource = async (tx: Db, id: string, fields: NewSource): Promise<void> => {
  await tx.insert(sources).values({ id, ...fields });
  await nudgeSync(tx, id);
};

type SourceAction = 'sources.update' | 'sources.delete' | 'sources.sync';

/**
 * The source, locked until the end of the transaction. Throws SOURCE_NOT_FOUND for what `principal` may neither read nor do
 * `action` on; says whether they may.
 */
export const lockSource = async (
  tx: Db,
  principal: Principal,
  action: SourceAction,
  id: string,
): Promise<{ source: Source; isAllowed: boolean }> => {
  const [row] = await tx
    .select({ source: sources, isAllowed: sql<boolean>`coalesce(${sourcesFor(principal, action)}, false)` })
    .from(sources)
    .where(and(eq(sources.id, id), or(sourcesFor(principal, 'sources.read'), sourcesFor(principal, action))))
    .for(action === 'sources.delete' ? 'update' : 'no key update');
  if (row === undefined) throw sourceNotFound(id);
  return row;
};

/** What a change of a source may set beside what people say of it. */
export type SourceChanges = Partial<
  SourceFields &
    Pick<Source, 'nextSyncAt' | 'failures' | 'lastError' | 'lastErrorCode' | 'isReachable' | 'checkMessage' | 'checkCode' | 'checkedAt'>
>;

/** Changes the source. Lock it first. */
export const updateSource = async (tx: Db, id: string, changes: SourceChanges): Promise<void> => {
  await tx
    .update(sources)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(eq(sources.id, id));
  await nudgeSync(tx, id);
};

/** Deletes the source with its runs and what was known of its files. Documents and the ledger keep its id. Lock it first. */
export const deleteSource = async (tx: Db, id: string): Promise<void> => {
  await tx.delete(sources).where(eq(sources.id, id));
  await nudgeSync(tx, id);
};

/** How well each source that is enabled works, whoever owns it; without names. */
export const listSourceStates = (db: Db): Promise<Pick<Source, 'id' | 'isReachable' | 'failures'>[]> =>
  db
    .select({ id: sources.id, isReachable: sources.isReachable, failures: sources.failures })
    .from(sources)
    .where(eq(sources.isEnabled, true))
    .orderBy(asc(sources.id));

/** How many sources there are of each type in each state, whoever owns them. */
export const countSources = (db: Db): Promise<{ type: SourceType; status: SourceStatus; sources: number }[]> =>
  db
    .select({ type: sources.type, status: statusOf.as('status'), sources: count() })
    .from(sources)
    .groupBy(sources.type, sql`status`);
