import { type SQL, sql } from 'drizzle-orm';
import type { QueryAnalysis } from './analyse-query.ts';
import type { SharedPlan } from './plan.ts';
import type { Lexeme } from './steps.ts';
import { type Frequencies, frequencyKey } from './term-frequencies.ts';

/** BM25's usual constants: how soon more of a word stops to count, and how much long documents are held back. */
const K1 = 1.2;
const B = 0.75;
/** What ts_rank divides by: its terms sum up to this for a word that is there without end. */
const RANK_LIMIT = 1.64493406685;
/** ts_rank sums over all words with the same beginning and may pass its limit; this is about 200 of one word. */
const MAX_PREFIX_RANK = 0.997;

/**
 * How often a word counts in the fields with a weight of 1. For one word ts_rank is (1 + 1/4 + ... + 1/tf²) / RANK_LIMIT, and what
 * is missing to the limit is close enough to 1 / (tf + 1/2) that rounding gives tf back exactly, from 0 to the 255 positions
 * a vector keeps of a word.
 */
const frequency = (lexeme: Lexeme, weights: '{1,1,1,1}' | '{0,0,0,1}'): SQL => {
  const rank = sql`ts_rank(${weights}::real[], document_search.words, ${frequencyKey(lexeme)}::tsquery)::float8`;
  const bounded = lexeme.isPrefix ? sql`least(${rank}, ${MAX_PREFIX_RANK}::float8)` : rank;
  return sql`round(1 / (${RANK_LIMIT}::float8 - ${RANK_LIMIT}::float8 * ${bounded}) - 0.5::float8)`;
};

export const inverseDocumentFrequency = (documents: number, withWord: number): number =>
  Math.log(1 + Math.max(documents - withWord + 0.5, 0.5) / (withWord + 0.5));

export interface ScoreSettings {
  /** How many times in the text once in the title counts beyond being counted there; not held back in long documents. */
  readonly titleWeight: number;
}

/** tf · (k1 + 1) / (tf + k1), written so that tf, the costly part, stands in it once. */
const lexemeScore = (lexeme: Lexeme, idf: number, settings: ScoreSettings): SQL => {
  const text = sql`${frequency(lexeme, '{1,1,1,1}')} / norm.of_length`;
  const both = settings.titleWeight === 0 ? text : sql`${text} + ${settings.titleWeight}::float8 * ${frequency(lexeme, '{0,0,0,1}')}`;
  return sql`${idf * (K1 + 1)}::float8 * (1 - ${K1}::float8 / (${K1}::float8 + ${both}))`;
};

/** How much longer than the average a document is, damped: to be joined to the documents that are scored. */
export const normJoin = (analysis: QueryAnalysis): SQL =>
  sql`cross join lateral (select ${1 - B}::float8 + ${B / Math.max(analysis.averageLength, 1)}::float8 * document_search.length as of_length) as norm`;

/** BM25 over title, file name and text as one field, plus the title once more as its own. */
export const scoreExpression = (
  plans: readonly SharedPlan[],
  analysis: QueryAnalysis,
  frequencies: Frequencies,
  settings: ScoreSettings,
): SQL => {
  const cases = plans.map(({ configurations, plan }) => {
    const parts = plan.scored.map((lexeme) =>
      lexemeScore(lexeme, inverseDocumentFrequency(analysis.documents, frequencies.get(frequencyKey(lexeme)) ?? 0), settings),
    );
    const total = parts.length === 0 ? sql`0::float8` : sql.join(parts, sql` + `);
    return { configurations, total };
  });
  const [only] = cases;
  if (only === undefined || cases.length === 1) return only?.total ?? sql`0::float8`;
  const whens = cases.map(
    ({ configurations, total }) => sql`when document_search.configuration = any(${sql.param(configurations)}::text[]) then ${total}`,
  );
  return sql`case ${sql.join(whens, sql` `)} end`;
};
