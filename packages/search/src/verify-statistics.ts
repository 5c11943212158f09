import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';

/** Of the words that are counted wrong so many are named. */
const NAMED_WORDS = 10;

export interface StatisticsDifferences {
  /** How many words stand in another number of documents than is kept of them. */
  readonly words: number;
  /** Some of these words. */
  readonly examples: readonly string[];
  /** Text search configurations whose number of documents or of words is wrong. */
  readonly configurations: readonly string[];
}

/** What the entries themselves say, by owner. */
const TRUE_TERMS = sql`
  select owner_id, lexeme collate "C" as lexeme, count(*)::int as documents
  from document_search, unnest(tsvector_to_array(words)) as lexeme where not is_trashed group by owner_id, lexeme`;
const TRUE_TOTALS = sql`
  select owner_id, configuration, count(*) as documents, sum(length)::bigint as length
  from document_search where not is_trashed group by owner_id, configuration`;

/** Every word of every document passes through memory on the server: more of it than usual keeps that off the disk. */
const WORK_MEMORY = sql`set local work_mem = '64MB'`;

/** Compares what is kept of words and totals, folded or not, with what the entries say, all as of one moment. */
export const findStatisticsDifferences = (db: Db): Promise<StatisticsDifferences> =>
  db.transaction(async (tx) => {
    await tx.execute(WORK_MEMORY);
    const { rows } = await tx.execute<{ words: number; examples: string[] | null; configurations: string[] | null }>(sql`
      with truth as materialized (${TRUE_TERMS}),
      waiting as materialized (
        select owner_id, lexeme collate "C" as lexeme, sum(sign) as documents
        from search_deltas, unnest(tsvector_to_array(lexemes)) as lexeme group by owner_id, lexeme
      ),
      kept as (
        select lexeme, sum(documents) as documents from (
          select lexeme, documents from search_terms union all select lexeme, documents from waiting
        ) as parts group by lexeme
      ),
      kept_of_owners as (
        select owner_id, lexeme, sum(documents) as documents from (
          select owner_id, lexeme, documents from search_owner_terms union all select owner_id, lexeme, documents from waiting where owner_id is not null
        ) as parts group by owner_id, lexeme
      ),
      wrong as (
        select lexeme from kept full join (select lexeme, sum(documents) as documents from truth group by lexeme) as truth using (lexeme)
        where coalesce(kept.documents, 0) <> coalesce(truth.documents, 0)
        union
        select lexeme from kept_of_owners full join truth using (owner_id, lexeme)
        where coalesce(kept_of_owners.documents, 0) <> coalesce(truth.documents, 0)
      ),
      true_totals as materialized (${TRUE_TOTALS}),
      kept_totals as (
        select configuration, sum(documents) as documents, sum(length) as length from (
          select configuration, documents, length from search_totals
          union all select configuration, sign, sign * length::bigint from search_deltas
        ) as parts group by configuration
      ),
      kept_totals_of_owners as (
        select owner_id, configuration, sum(documents) as documents, sum(length) as length from (
          select owner_id, configuration, documents, length from search_owner_totals
          union all select owner_id, configuration, sign, sign * length::bigint from search_deltas where owner_id is not null
        ) as parts group by owner_id, configuration
      ),
      wrong_totals as (
        select configuration from kept_totals as kept full join (
          select configuration, sum(documents) as documents, sum(length) as length from true_totals group by configuration
        ) as truth using (configuration)
        where (coalesce(kept.documents, 0), coalesce(kept.length, 0)) <> (coalesce(truth.documents, 0), coalesce(truth.length, 0))
        union
        select configuration from kept_totals_of_owners as kept full join true_totals as truth using (owner_id, configuration)
        where (coalesce(kept.documents, 0), coalesce(kept.length, 0)) <> (coalesce(truth.documents, 0), coalesce(truth.length, 0))
      )
      select (select count(*)::int from wrong) as words,
        (select array_agg(lexeme order by lexeme) from (select lexeme from wrong order by lexeme limit ${NAMED_WORDS}) as first_ones) as examples,
        (select array_agg(configuration order by configuration) from wrong_totals) as configurations`);
    const [row] = rows;
    return { words: row?.words ?? 0, examples: row?.examples ?? [], configurations: row?.configurations ?? [] };
  });

/**
 * Makes the statistics anew from the entries, writing only what differs. One statement and so one moment: what writers append
 * in the meantime stays and is folded later. Waits for a fold that runs; folds that come by give way.
 */
export const rebuildStatistics = (db: Db): Promise<void> =>
  db.transaction(async (tx) => {
    await lockTermStatistics(tx);
    await tx.execute(WORK_MEMORY);
    await tx.execute(sql`
      with truth as materialized (${TRUE_TERMS}),
      truth_of_all as materialized (select lexeme, sum(documents)::int as documents from truth group by lexeme),
      totals as materialized (${TRUE_TOTALS}),
      taken as (delete from search_deltas),
      forgotten as (delete from search_terms as kept where not exists (select from truth_of_all as truth where truth.lexeme = kept.lexeme)),
      forgotten_of_owners as (
        delete from search_owner_terms as kept
        where not exists (select from truth where truth.owner_id = kept.owner_id and truth.lexeme = kept.lexeme)
      ),
      empty as (delete from search_totals as kept where not exists (select from totals where totals.configuration = kept.configuration)),
      empty_of_owners as (
        delete from search_owner_totals as kept
        where not exists (select from totals where totals.owner_id = kept.owner_id and totals.configuration = kept.configuration)
      ),
      written as (
        insert into search_terms (lexeme, documents)
        select lexeme, documents from truth_of_all as truth
        where not exists (select from search_terms as kept where kept.lexeme = truth.lexeme and kept.documents = truth.documents)
        on conflict (lexeme) do update set documents = excluded.documents
      ),
      written_of_owners as (
        insert into search_owner_terms (owner_id, lexeme, documents)
        select owner_id, lexeme, documents from truth
        where not exists (select from search_owner_terms as kept
          where kept.owner_id = truth.owner_id and kept.lexeme = truth.lexeme and kept.documents = truth.documents)
        on conflict (owner_id, lexeme) do update set documents = excluded.documents
      ),
      written_totals_of_owners as (
        insert into search_owner_totals (owner_id, configuration, documents, length) select owner_id, configuration, documents, length from totals
        on conflict (owner_id, configuration) do update set documents = excluded.documents, length = excluded.length
      )
      insert into search_totals (configuration, documents, length)
      select configuration, sum(documents), sum(length) from totals group by configuration
      on conflict (configuration) do update set documents = excluded.documents, length = excluded.length`);
  });

/** Deltas folded in one transaction: some 100 ms of work. */
const BATCH = 500;
const LOCK = [0x73_68_66, 0x64_66] as const;

interface FoldedRow extends Record<string, unknown> {
  readonly folded: number;
  /** Owner and word; the owner is null in what was written before owners were counted. */
  readonly lowered: readonly (readonly [string | null, string])[] | null;
}

/** Waits until no fold runs and holds off others to the end of the transaction. */
const lockTermStatistics = async (tx: Db): Promise<void> => {
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

/** Nearly always there is nothing to fold, which one small statement tells instead of a transaction of four. */
const hasDeltas = async (db: Db): Promise<boolean> => {
  const { rows } = await db.execute<{ any: boolean }>(sql`select exists (select from search_deltas) as any`);
  return rows[0]?.any === true;
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
  if (!(await hasDeltas(db))) return 0;
  let total = 0;
  for (let folded = BATCH; folded === BATCH; total += folded) folded = await foldBatch(db);
  return total;
};
