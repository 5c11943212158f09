import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { SearchScope } from './search-scope.ts';
import type { Lexeme } from './steps.ts';
import { lexemeQuery } from './tsquery.ts';

/** In how many documents each word is. For a beginning: how often words that begin so are in documents, an upper bound. */
export type Frequencies = ReadonlyMap<string, number>;

export const frequencyKey = (lexeme: Lexeme): string => lexemeQuery(lexeme);

/** The last character there is: sorts behind all that begins with the same letters. */
const LAST_CHARACTER = 0x10_ff_ff;

interface FrequencyRow extends Record<string, unknown> {
  readonly key: string;
  readonly documents: number;
}

/** Reads what was folded and what is still to be in one snapshot, so that no document is counted twice or not at all. */
export const readFrequencies = async (db: Db, { terms, deltas }: SearchScope, lexemes: readonly Lexeme[]): Promise<Frequencies> => {
  if (lexemes.length === 0) return new Map();
  const { rows } = await db.execute<FrequencyRow>(sql`
    select key, greatest(0, coalesce(case when is_prefix
        then (select sum(documents) from ${terms} where lexeme >= word and lexeme < word || chr(${LAST_CHARACTER}::int))
        else (select documents from ${terms} where lexeme = word) end, 0)
      + coalesce((select sum(sign) from ${deltas} where lexemes @@ key::tsquery), 0))::float8 as documents
    from unnest(${sql.param(lexemes.map(frequencyKey))}::text[], ${sql.param(lexemes.map((lexeme) => lexeme.text))}::text[],
      ${sql.param(lexemes.map((lexeme) => lexeme.isPrefix))}::boolean[]) as asked (key, word, is_prefix)`);
  return new Map(rows.map((row) => [row.key, row.documents]));
};
