import { type Db, runPrepared } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { SearchScope } from './search-scope.ts';

/** Accents off, endings and stop words kept: what a prefix is compared by. */
export const PLAIN = 'sheaf_simple';

interface WordRow {
  readonly ordinal: number;
  readonly lexeme: string;
  readonly positions: readonly number[];
  readonly documents: number;
}

export interface TotalsRow extends Record<string, unknown> {
  readonly configuration: string;
  readonly documents: number;
  readonly length: number;
  readonly words: readonly WordRow[];
}

/** Taking accents away can leave a quote. */
const QUOTED_LEXEME = sql`('''' || replace(replace(word.lexeme, '\\', '\\\\'), '''', '''''') || '''')`;

/**
 * One row a configuration in use, and one for the plain one; totals and frequencies are what was folded and what is still to be, in
 * one snapshot, so that no document is counted twice or not at all. The texts are behind a `select`, where the planner does not see how many they
 * are: for few of them it would plan anew each time.
 */
export const readRows = (db: Db, { kind, totals, terms, deltas }: SearchScope, texts: readonly string[]): Promise<readonly TotalsRow[]> =>
  runPrepared<TotalsRow>(db, {
    name: `search_words_${kind}`,
    text: sql`
      with used as (
        select configuration, sum(documents)::float8 as documents, sum(length)::float8 as length from (
          select configuration, documents, length from ${totals}
          union all select configuration, sign, sign * length::bigint from ${deltas}
          union all select ${PLAIN}, 0, 0
        ) as changes group by configuration
      )
      select configuration, documents, length, coalesce((
        select json_agg(json_build_object('ordinal', ordinal, 'lexeme', lexeme, 'positions', positions, 'documents', greatest(0,
          coalesce((select search_terms.documents from ${terms} where search_terms.lexeme = word.lexeme), 0)
          + coalesce((select sum(sign) from ${deltas} where lexemes @@ ${QUOTED_LEXEME}::tsquery), 0))))
        from unnest((select ${sql.param(texts)}::text[])) with ordinality as asked (text, ordinal),
          unnest(to_tsvector(configuration::regconfig, sheaf_words(text))) as word
      ), '[]') as words
      from used`,
  });
