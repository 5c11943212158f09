import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { lockTermStatistics } from './term-statistics.ts';

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

/** What the entries themselves say. */
const TRUE_TERMS = sql`
  select lexeme collate "C" as lexeme, count(*)::int as documents
  from document_search, unnest(tsvector_to_array(words)) as lexeme group by lexeme`;
const TRUE_TOTALS = sql`
  select configuration, count(*) as documents, sum(length)::bigint as length from document_search group by configuration`;

/** Every word of every document passes through memory on the server: more of it than usual keeps that off the disk. */
const WORK_MEMORY = sql`set local work_mem = '64MB'`;

/** Compares what is kept of words and totals, folded or not, with what the entries say, all as of one moment. */
export const findStatisticsDifferences = (db: Db): Promise<StatisticsDifferences> =>
  db.transaction(async (tx) => {
    await tx.execute(WORK_MEMORY);
    const { rows } = await tx.execute<{ words: number; examples: string[] | null; configurations: string[] | null }>(sql`
      with kept as (
        select lexeme, sum(documents) as documents from (
          select lexeme, documents from search_terms
          union all select unnest(tsvector_to_array(lexemes)) collate "C", sign from search_deltas
        ) as parts group by lexeme
      ),
      wrong as (
        select coalesce(kept.lexeme, truth.lexeme) as lexeme from kept full join (${TRUE_TERMS}) as truth on truth.lexeme = kept.lexeme
        where coalesce(kept.documents, 0) <> coalesce(truth.documents, 0)
      ),
      kept_totals as (
        select configuration, sum(documents) as documents, sum(length) as length from (
          select configuration, documents, length from search_totals
          union all select configuration, sign, sign * length::bigint from search_deltas
        ) as parts group by configuration
      )
      select (select count(*)::int from wrong) as words,
        (select array_agg(lexeme order by lexeme) from (select lexeme from wrong order by lexeme limit ${NAMED_WORDS}) as first_ones) as examples,
        (select array_agg(configuration order by configuration) from kept_totals full join (${TRUE_TOTALS}) as truth using (configuration)
          where coalesce(kept_totals.documents, 0) <> coalesce(truth.documents, 0)
            or coalesce(kept_totals.length, 0) <> coalesce(truth.length, 0)) as configurations`);
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
      totals as materialized (${TRUE_TOTALS}),
      taken as (delete from search_deltas),
      forgotten as (delete from search_terms as kept where not exists (select from truth where truth.lexeme = kept.lexeme)),
      empty as (delete from search_totals as kept where not exists (select from totals where totals.configuration = kept.configuration)),
      written as (
        insert into search_terms (lexeme, documents)
        select lexeme, documents from truth
        where not exists (select from search_terms as kept where kept.lexeme = truth.lexeme and kept.documents = truth.documents)
        on conflict (lexeme) do update set documents = excluded.documents
      )
      insert into search_totals (configuration, documents, length) select configuration, documents, length from totals
      on conflict (configuration) do update set documents = excluded.documents, length = excluded.length`);
  });
