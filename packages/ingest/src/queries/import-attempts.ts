import type { Db } from '@sheaf/db';
import { and, isNull, type SQL, sql } from '@sheaf/db/drizzle';
import { type ImportAttempt, importAttempts } from '@sheaf/db/schema';
import type { RemoteVersion } from '@sheaf/sources';
import type { IngestRoute } from '@sheaf/vocabulary/documents';

/** Each kind is imported by one process, which alone writes the attempts of that kind. */
export type AttemptKind = 'watched' | 'source';

/** A file whose bytes are about to be inspected. */
export interface AttemptedFile {
  readonly route: IngestRoute;
  /** Its name in the ledger. */
  readonly path: string;
  readonly sourceId?: string | undefined;
  readonly ownerId: string;
  readonly version: RemoteVersion;
}

export interface StartedAttempt extends AttemptedFile {
  readonly id: string;
}

export interface AttemptChanges {
  /** Each path once. */
  readonly started: readonly StartedAttempt[];
  /** Attempts, by their ids, whose files have an outcome. */
  readonly cleared: readonly string[];
  /** Attempts at suspects that ended without an outcome. */
  readonly suspended: readonly string[];
}

const OF_KIND: Readonly<Record<AttemptKind, SQL>> = {
  watched: sql.raw('attempt.source_id is null'),
  source: sql.raw('attempt.source_id is not null'),
};

const CONFLICT: Readonly<Record<AttemptKind, SQL>> = {
  watched: sql.raw('(route, path) where source_id is null'),
  source: sql.raw('(source_id, path) where source_id is not null'),
};

const array = (values: readonly unknown[], type: string): SQL => sql`${sql.param([...values])}::${sql.raw(type)}[]`;

const startedRows = (started: readonly StartedAttempt[]): SQL => {
  const column = (of: (attempt: StartedAttempt) => unknown, type: string): SQL =>
    array(
      started.map((attempt) => of(attempt) ?? null),
      type,
    );
  const columns = [
    column(({ id }) => id, 'uuid'),
    column(({ route }) => route, 'text'),
    column(({ path }) => path, 'text'),
    column(({ sourceId }) => sourceId, 'uuid'),
    column(({ ownerId }) => ownerId, 'uuid'),
    column(({ version }) => version.etag, 'text'),
    column(({ version }) => version.sizeBytes, 'bigint'),
    column(({ version }) => version.modifiedAt, 'timestamptz'),
  ];
  return sql`unnest(${sql.join(columns, sql`, `)})`;
};

/**
 * Records what is begun and what has ended, in one statement. It is to outlive this process, not the machine: that the commit does not
 * wait for the disk makes it cheap enough for every file.
 */
export const recordAttempts = async (db: Db, kind: AttemptKind, { started, cleared, suspended }: AttemptChanges): Promise<void> => {
  await db.execute(sql`
    with unsynced as materialized (select set_config('synchronous_commit', 'off', true) as value), cleared as (
      delete from import_attempts using unsynced where id = any(${array(cleared, 'uuid')})
    ), suspended as (
      update import_attempts set started_at = null, updated_at = now() from unsynced where id = any(${array(suspended, 'uuid')})
    )
    insert into import_attempts as attempt (id, route, path, source_id, owner_id, etag, size_bytes, modified_at, started_at)
    select file.*, now() from ${startedRows(started)} as file (id, route, path, source_id, owner_id, etag, size_bytes, modified_at), unsynced
    on conflict ${CONFLICT[kind]} do update set id = excluded.id, owner_id = excluded.owner_id, etag = excluded.etag,
      size_bytes = excluded.size_bytes, modified_at = excluded.modified_at, started_at = excluded.started_at, updated_at = now(),
      crashes = case when (attempt.etag, attempt.size_bytes, attempt.modified_at)
        is not distinct from (excluded.etag, excluded.size_bytes, excluded.modified_at) then attempt.crashes else 0 end`);
};

const OUTCOME_OF: Readonly<Record<AttemptKind, SQL>> = {
  watched: sql`ledger.route = attempt.route and ledger.route in ('watch', 'user_watch')`,
  source: sql`ledger.source_id = attempt.source_id`,
};

/** Suspects that were not met for so long are gone. */
const FORGOTTEN_AFTER = sql.raw("interval '30 days'");

/**
 * To be called by a process that begins: what is under way by then was left by one that died. If that was one file, the crash is put
 * down to it; if there were several, each of them is a suspect. Returns all suspects. Files whose outcome was recorded are none.
 */
export const suspectUnfinishedAttempts = async (tx: Db, kind: AttemptKind): Promise<ImportAttempt[]> => {
  await tx.execute(sql`
    delete from import_attempts attempt using ingest_ledger ledger
    where ${OF_KIND[kind]} and ledger.path = attempt.path and ${OUTCOME_OF[kind]} 
      and ledger.updated_at >= attempt.started_at and ledger.state <> 'waiting'`);
  await tx.execute(sql`delete from import_attempts where started_at is null and updated_at < now() - ${FORGOTTEN_AFTER}`);
  await tx.execute(sql`
    update import_attempts attempt set started_at = null, updated_at = now(), crashes = crashes + (
      select count(*) = 1 from import_attempts attempt where attempt.started_at is not null and ${OF_KIND[kind]})::int
    where started_at is not null and ${OF_KIND[kind]}`);
  const isOfKind = kind === 'watched' ? isNull(importAttempts.sourceId) : sql`${importAttempts.sourceId} is not null`;
  return tx
    .select()
    .from(importAttempts)
    .where(and(isOfKind, isNull(importAttempts.startedAt)));
};

export const forgetAttempts = async (tx: Db, ids: readonly string[]): Promise<void> => {
  await tx.execute(sql`delete from import_attempts where id = any(${array(ids, 'uuid')})`);
};
