import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';

/** Deltas folded in one transaction: some 100 ms of work. */
const BATCH = 500;
const LOCK = [0x73_68_66, 0x64_66] as const;

interface FoldedRow extends Record<string, unknown> {
  readonly folded: number;
  /** Owner and word; the owner is null in what was written before owners were counted. */
  readonly lowered: readonly (readonly [string | null, string])[] | null;
}

/** Waits until no fold runs and holds off others to the end of the transaction. */
export const lockTermStatistics = async (tx: Db): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCK[0]}, ${LOCK[1]})`);
};

/** A word that no document has any more is forgotten. */
const forgetUnused = async (tx: Db, lowered: readonly (readonly [string | null, string])[]): Promise<void> => {
  const owners = sql.param(lowered.map(([owner]) => owner));
  const lexemes = sql.param(lowered.map(([, lexeme]) => lexeme));
  await tx.execute(sql`delete from search_terms where documents = 0 and lexeme = any(${lexemes}::text[])`);
  await tx.execute(sql`
    delete from search_owner_terms as kept using unnest(${owners}::uuid[], ${lexemes}::text[]) as lowered (owner_id, lexeme)
    where kept.documents = 0 and kept.owner_id = lowered.owner_id and kept.lexeme = lowered.lexeme`);
};

const foldBatch = (db: Db): Promise<number> =>
  db.transaction(async (tx) => {
    // One at a time: two would lock the rows of common words in different orders. Whoever comes second has nothing to do.
    const lock = await tx.execute<{ taken: boolean }>(sql`select pg_try_advisory_xact_lock(${LOCK[0]}, ${LOCK[1]}) as taken`);
    if (lock.rows[0]?.taken !== true) return 0;
    const { rows } = await tx.execute<FoldedRow>(sql`
      with taken as (
        delete from search_deltas where id in (select id from search_deltas order by id limit ${BATCH})
        returning sign, owner_id, configuration, length, lexemes
      ),
      changed_of_owners as materialized (
        select owner_id, lexeme, sum(sign)::int as documents from taken, unnest(tsvector_to_array(lexemes)) as lexeme
        group by owner_id, lexeme having sum(sign) <> 0
      ),
      changed as (select lexeme, sum(documents)::int as documents from changed_of_owners group by lexeme having sum(documents) <> 0),
      owner_terms as (
        insert into search_owner_terms (owner_id, lexeme, documents) select owner_id, lexeme, documents from changed_of_owners where owner_id is not null
        on conflict (owner_id, lexeme) do update set documents = search_owner_terms.documents + excluded.documents
      ),
      terms as (
        insert into search_terms (lexeme, documents) select lexeme, documents from changed
        on conflict (lexeme) do update set documents = search_terms.documents + excluded.documents
      ),
      totals as (
        insert into search_totals (configuration, documents, length)
        select configuration, sum(sign), sum(sign * length::bigint) from taken group by configuration
        on conflict (configuration) do update
        set documents = search_totals.documents + excluded.documents, length = search_totals.length + excluded.length
      ),
      owner_totals as (
        insert into search_owner_totals (owner_id, configuration, documents, length)
        select owner_id, configuration, sum(sign), sum(sign * length::bigint) from taken where owner_id is not null group by owner_id, configuration
        on conflict (owner_id, configuration) do update
        set documents = search_owner_totals.documents + excluded.documents, length = search_owner_totals.length + excluded.length
      )
      select (select count(*)::int from taken) as folded,
        (select json_agg(json_build_array(owner_id, lexeme)) from changed_of_owners where documents < 0) as lowered`);
    const [row] = rows;
    if (row?.lowered) await forgetUnused(tx, row.lowered);
    return row?.folded ?? 0;
  });

/**
 * Moves what writers have appended into the statistics, and returns how many deltas it moved. Answers are the same before and
 * after; searches get slower while deltas pile up. Safe in any number of processes: only one of them works at a time.
 */
export const foldTermStatistics = async (db: Db): Promise<number> => {
  let total = 0;
  for (let folded = BATCH; folded === BATCH; total += folded) folded = await foldBatch(db);
  return total;
};
