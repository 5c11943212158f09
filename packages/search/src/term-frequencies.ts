import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { WordField } from './query.ts';
import type { SearchScope } from './search-scope.ts';
import type { Lexeme, Step, Steps } from './steps.ts';

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

/** The weights that packages/search/src/search-entries.ts gives to the words of a field. */
const WEIGHTS = { title: 'A', filename: 'B', note: 'C', content: 'D' } as const satisfies Record<WordField, string>;

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** PostgreSQL's text form of one word of a query. */
export const lexemeQuery = ({ text, isPrefix }: Lexeme, field?: WordField): string => {
  const flags = `${isPrefix ? '*' : ''}${field === undefined ? '' : WEIGHTS[field]}`;
  return flags === '' ? quote(text) : `${quote(text)}:${flags}`;
};

const joined = (parts: readonly string[], operator: string): string =>
  parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(operator)})`;

export const anyOf = (queries: readonly string[]): string => joined(queries, ' | ');
export const allOf = (queries: readonly string[]): string => joined(queries, ' & ');

const stepQuery = (step: Step, field?: WordField): string => anyOf(step.anyOf.map((lexeme) => lexemeQuery(lexeme, field)));

/** All steps one after the other, at their distances. */
export const phraseQuery = (steps: Steps, field?: WordField): string =>
  steps.reduce((query, step, i) => {
    const before = steps[i - 1];
    if (before === undefined) return stepQuery(step, field);
    return `(${query} <${step.position - before.position}> ${stepQuery(step, field)})`;
  }, '');

/** All steps anywhere: what a phrase is without its order. */
export const scatteredQuery = (steps: Steps, field?: WordField): string => allOf(steps.map((step) => stepQuery(step, field)));
