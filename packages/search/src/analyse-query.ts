import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { Query, Term } from './query.ts';
import { type IndexWord, type Lexeme, type Steps, toSteps, uniqueLexemes } from './steps.ts';

export interface QueryAnalysis {
  /** Those that some document has. */
  readonly configurations: readonly string[];
  readonly documents: number;
  readonly averageLength: number;
  /** All that the query has, in any of the configurations. */
  readonly lexemes: readonly Lexeme[];
  stepsOf(configuration: string, term: Term): Steps;
}

/** Accents off, endings and stop words kept: what a prefix is compared by. */
const PLAIN = 'sheaf_simple';

interface TotalsRow extends Record<string, unknown> {
  readonly configuration: string;
  readonly documents: number;
  readonly length: number;
  readonly words: readonly { readonly ordinal: number; readonly lexeme: string; readonly positions: readonly number[] }[];
}

/** One row a configuration in use, and one for the plain one; totals are what was folded and what is still to be. */
const readRows = async (db: Db, texts: readonly string[]): Promise<readonly TotalsRow[]> =>
  (
    await db.execute<TotalsRow>(sql`
      with used as (
        select configuration, sum(documents)::float8 as documents, sum(length)::float8 as length from (
          select configuration, documents, length from search_totals
          union all select configuration, sign, sign * length::bigint from search_deltas
          union all select ${PLAIN}, 0, 0
        ) as changes group by configuration
      )
      select configuration, documents, length, coalesce((
        select json_agg(json_build_object('ordinal', ordinal, 'lexeme', lexeme, 'positions', positions))
        from unnest(${sql.param(texts)}::text[]) with ordinality as terms (text, ordinal),
          unnest(to_tsvector(configuration::regconfig, sheaf_words(text)))
      ), '[]') as words
      from used`)
  ).rows;

const wordsAt = (row: TotalsRow | undefined, ordinal: number): IndexWord[] =>
  (row?.words ?? [])
    .filter((word) => word.ordinal === ordinal)
    .flatMap(({ lexeme, positions }) => positions.map((position) => ({ lexeme, position })));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Asks PostgreSQL what the words of the query are in the index: for each language that some document has. */
export const analyseQuery = async (db: Db, query: Query): Promise<QueryAnalysis> => {
  const terms = [...query.must, ...query.should, ...query.mustNot].flat();
  const rows = await readRows(
    db,
    terms.map((term) => term.text),
  );
  const plain = rows.find((row) => row.configuration === PLAIN);
  const steps = new Map<string, Map<Term, Steps>>();
  for (const row of rows) {
    steps.set(row.configuration, new Map(terms.map((term, i) => [term, toSteps(wordsAt(row, i + 1), wordsAt(plain, i + 1), term.prefix)])));
  }
  const documents = sum(rows.map((row) => row.documents));
  return {
    configurations: rows.filter((row) => row.documents > 0).map((row) => row.configuration),
    documents,
    averageLength: sum(rows.map((row) => row.length)) / Math.max(documents, 1),
    lexemes: uniqueLexemes([...steps.values()].flatMap((terms) => [...terms.values()])),
    stepsOf: (configuration, term) => steps.get(configuration)?.get(term) ?? [],
  };
};
