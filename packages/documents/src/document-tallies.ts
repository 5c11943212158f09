import type { Db } from '@sheaf/db';
import { ownedBy, type Reach, type ScopedPrincipal, within } from '@sheaf/db';
import type { PgColumn } from '@sheaf/db/drizzle';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { documentTallies, documentTallyDeltas } from '@sheaf/db/schema';
import type { DocumentStatus } from '@sheaf/vocabulary/documents';
import { scopeOf } from '@sheaf/vocabulary/permissions';

/** Deltas folded in one transaction: some 50 ms of work. */
const BATCH = 5_000;
const LOCK = [0x73_68_66, 0x64_74] as const;

/** What tallies can count by. Months are first days in UTC, as `2026-11-01`. */
export interface Tallied {
  /** An id, or an expression for one. */
  readonly labelId?: string | SQL | undefined;
  readonly status?: DocumentStatus | undefined;
  /** An id, or an expression for one. */
  readonly sourceId?: string | SQL | undefined;
  readonly months?: { readonly from: string | undefined; readonly before: string | undefined } | undefined;
}

const sumOf = (table: typeof documentTallies | typeof documentTallyDeltas, conditions: readonly SQL[]): SQL =>
  sql`coalesce((select sum(documents) from ${table} where ${sql.join([...conditions], sql` and `)}), 0)`;

const isOrIsNull = (column: PgColumn, id: string | SQL | undefined): SQL =>
  id === undefined ? sql`${column} is null` : sql`${column} = ${id}::uuid`;

const conditionsOn = (
  table: typeof documentTallies | typeof documentTallyDeltas,
  principal: ScopedPrincipal | undefined,
  { labelId, status, sourceId, months }: Tallied,
): SQL[] => [
  isOrIsNull(table.labelId, labelId),
  ...(principal === undefined ? [] : [ownedBy(scopeOf(principal.permissions, 'documents.read'), principal.userId, table.ownerId)]),
  ...(status === undefined ? [] : [sql`${table.status} = ${status}`]),
  ...(sourceId === undefined ? [] : [sql`${table.sourceId} = ${sourceId}::uuid`]),
  ...(months?.from === undefined ? [] : [sql`${table.month} >= ${months.from}::date`]),
  ...(months?.before === undefined ? [] : [sql`${table.month} < ${months.before}::date`]),
];

/**
 * How many documents `principal` may read (undefined: how many there are), as an SQL expression. Exact at any moment: what was
 * folded and what waits to be are read in one snapshot.
 */
export const tallied = (principal: ScopedPrincipal | undefined, by: Tallied): SQL => {
  const folded = conditionsOn(documentTallies, principal, by);
  // each delta is folded into its month and into all months
  if (by.months === undefined) folded.push(sql`${documentTallies.month} is null`);
  return sql`(${sumOf(documentTallies, folded)} + ${sumOf(documentTallyDeltas, conditionsOn(documentTallyDeltas, principal, by))})::int`;
};

/** What was folded and what waits to be, of all months and of the documents within `reach`: `columns`, and `documents` to be added up. */
const allTallies = (reach: Reach, columns: SQL, isMeant: SQL): SQL => sql`
  select ${columns}, documents from ${documentTallies} where month is null and ${isMeant} and ${within(reach, documentTallies.ownerId)}
  union all
  select ${columns}, documents from ${documentTallyDeltas} where ${isMeant} and ${within(reach, documentTallyDeltas.ownerId)}`;

/** How many documents within `reach` are in each state, as a query of `status` and `documents`. States of none may be absent. */
export const talliedByStatus = (reach: Reach): SQL =>
  sql`select status, sum(documents)::int as documents from (${allTallies(reach, sql`status`, sql`label_id is null`)}) as tallies group by status`;

/** The same by label, as a query of `label_id` and `documents`. */
export const talliedByLabel = (reach: Reach): SQL =>
  sql`select label_id, sum(documents)::int as documents from (${allTallies(reach, sql`label_id`, sql`label_id is not null`)}) as tallies
    group by label_id having sum(documents) > 0`;

/** How many documents there are, whoever owns them. For counts without names only. */
export const countDocuments = async (db: Db): Promise<number> =>
  (await db.execute<{ total: number }>(sql`select ${tallied(undefined, {})} as total`)).rows[0]?.total ?? 0;

/** How many documents wait to be read, are being read, and are read. */
export interface ReadingCounts {
  readonly pending: number;
  readonly processing: number;
  readonly completed: number;
}

interface ReadingCountsRow extends Record<string, unknown>, ReadingCounts {}

const READING_STATES = ['pending', 'processing', 'completed'] as const satisfies readonly DocumentStatus[];

/** Of all documents. */
export const countReading = async (db: Db): Promise<ReadingCounts> => {
  const counts = READING_STATES.map((status) => sql`${tallied(undefined, { status })} as ${sql.raw(status)}`);
  const { rows } = await db.execute<ReadingCountsRow>(sql`select ${sql.join(counts, sql`, `)}`);
  return rows[0] ?? { pending: 0, processing: 0, completed: 0 };
};

/** Of the documents of each of some users. */
export const countReadingOf = async (db: Db, ownerIds: readonly string[]): Promise<ReadonlyMap<string, ReadingCounts>> => {
  const isTheirs = sql`label_id is null and owner_id = any(${sql.param([...ownerIds])}::uuid[])`;
  const counts = READING_STATES.map(
    (status) => sql`coalesce(sum(documents) filter (where status = ${status}), 0)::int as ${sql.raw(status)}`,
  );
  const { rows } = await db.execute<ReadingCountsRow & { owner_id: string }>(sql`
    select owner_id, ${sql.join(counts, sql`, `)} from (
      select owner_id, status, documents from ${documentTallies} where month is null and ${isTheirs}
      union all
      select owner_id, status, documents from ${documentTallyDeltas} where ${isTheirs}
    ) as tallied group by owner_id`);
  const found = new Map(rows.map(({ owner_id, pending, processing, completed }) => [owner_id, { pending, processing, completed }]));
  return new Map(ownerIds.map((id) => [id, found.get(id) ?? { pending: 0, processing: 0, completed: 0 }]));
};

/** Waits for a fold that runs and holds off others until the end of the transaction. */
export const lockDocumentTallies = async (tx: Db): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCK[0]}, ${LOCK[1]})`);
};

const foldBatch = (db: Db): Promise<number> =>
  db.transaction(async (tx) => {
    // One at a time: two would lock the same rows in different orders. Whoever comes second has nothing to do.
    const lock = await tx.execute<{ taken: boolean }>(sql`select pg_try_advisory_xact_lock(${LOCK[0]}, ${LOCK[1]}) as taken`);
    if (lock.rows[0]?.taken !== true) return 0;
    const { rows } = await tx.execute<{ folded: number }>(sql`
      with taken as (
        delete from document_tally_deltas where id in (select id from document_tally_deltas order by id limit ${BATCH})
        returning label_id, month, owner_id, status, source_id, documents
      ),
      changed as (
        insert into document_tallies (label_id, month, owner_id, status, source_id, documents)
        select label_id, level.month, owner_id, status, source_id, sum(documents)
        from taken cross join lateral (values (taken.month), (null)) as level (month)
        group by label_id, level.month, owner_id, status, source_id having sum(documents) <> 0
        on conflict (label_id, month, owner_id, status, source_id) do update set documents = document_tallies.documents + excluded.documents
      )
      select count(*)::int as folded from taken`);
    const folded = rows[0]?.folded ?? 0;
    // What nobody has any more is forgotten: owners, states, and labels, whose documents stopped to be counted when they went.
    if (folded > 0)
      await tx.execute(sql`
        delete from document_tallies where documents = 0
          or label_id in (select label_id from document_tallies where label_id is not null except select id from labels)`);
    return folded;
  });

/**
 * Moves what triggers have appended into the tallies, and returns how many deltas it moved. Totals are the same before and
 * after; lists get slower while deltas pile up. Safe in any number of processes: only one of them works at a time.
 */
export const foldDocumentTallies = async (db: Db): Promise<number> => {
  let total = 0;
  for (let folded = BATCH; folded === BATCH; total += folded) folded = await foldBatch(db);
  return total;
};
