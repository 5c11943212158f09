import { type SQL, sql } from '@sheaf/db/drizzle';
import type { QueryAnalysis } from './analyse-query.ts';
import type { SharedPlan } from './plan.ts';
import type { Lexeme } from './steps.ts';
import { frequencyKey } from './term-frequencies.ts';

/** BM25's usual constants: how soon more of a word stops to count, and how much long documents are held back. */
const K1 = 1.2;
const B = 0.75;
/** What ts_rank divides by: its terms sum up to this for a word that is there without end. */
const RANK_LIMIT = 1.64493406685;
/** ts_rank sums over all words with the same beginning and may pass its limit; this is about 200 of one word. */
const MAX_PREFIX_RANK = 0.997;

/** A number of ours as it is: a parameter for each would be thousands where many languages are in use. */
const number = (value: number): SQL => sql.raw(`${value}::float8`);

/**
 * How often a word counts in the fields with a weight of 1. For one word ts_rank is (1 + 1/4 + ... + 1/tf²) / RANK_LIMIT, and what
 * is missing to the limit is close enough to 1 / (tf + 1/2) that rounding gives tf back exactly, from 0 to the 255 positions
 * a vector keeps of a word.
 */
const frequency = (lexeme: Lexeme, weights: '{1,1,1,1}' | '{0,0,0,1}'): SQL => {
  const rank = sql`ts_rank(${sql.raw(`'${weights}'`)}::real[], document_search.words, ${frequencyKey(lexeme)}::tsquery)::float8`;
  const bounded = lexeme.isPrefix ? sql`least(${rank}, ${number(MAX_PREFIX_RANK)})` : rank;
  return sql`round(1 / (${number(RANK_LIMIT)} - ${number(RANK_LIMIT)} * ${bounded}) - ${number(0.5)})`;
};

/** What another spelling of a word counts, so that who typed it in one way gets this one first. */
const ALTERNATIVE_WEIGHT = 0.4;

export const inverseDocumentFrequency = (documents: number, withWord: number): number =>
  Math.log(1 + Math.max(documents - withWord + 0.5, 0.5) / (withWord + 0.5));

export interface ScoreSettings {
  /** How many times in the text once in the title counts beyond being counted there; not held back in long documents. */
  readonly titleWeight: number;
}

/** tf · (k1 + 1) / (tf + k1), written so that tf, the costly part, stands in it once. */
const lexemeScore = (lexeme: Lexeme, idf: number, settings: ScoreSettings): SQL => {
  const text = sql`${frequency(lexeme, '{1,1,1,1}')} / norm.of_length`;
  const both = settings.titleWeight === 0 ? text : sql`${text} + ${number(settings.titleWeight)} * ${frequency(lexeme, '{0,0,0,1}')}`;
  return sql`${number(idf * (K1 + 1))} * (1 - ${number(K1)} / (${number(K1)} + ${both}))`;
};

/** How much a document of `length` words is held back against one of average length. */
export const normOf = (analysis: QueryAnalysis, length: number): number => 1 - B + (B * length) / Math.max(analysis.averageLength, 1);

/** What a document can score at most whose words count no more than `frequency` times each, as at average length. */
export const scoreBelow = (plans: readonly SharedPlan[], analysis: QueryAnalysis, frequency: number): number =>
  Math.max(
    ...plans.map(({ plan }) =>
      plan.scored.reduce((total, lexeme) => {
        // beginnings are in no index of strong words: nothing is known of how often they stand somewhere
        const most = lexeme.isPrefix ? Number.POSITIVE_INFINITY : frequency;
        return total + weightOf(lexeme, analysis) * (K1 + 1) * (1 - K1 / (K1 + most));
      }, 0),
    ),
  );

/** How much longer than the average a document is, damped: to be joined to the documents that are scored. */
export const normJoin = (analysis: QueryAnalysis): SQL =>
  sql`cross join lateral (select ${number(1 - B)} + ${number(B / Math.max(analysis.averageLength, 1))} * document_search.length as of_length) as norm`;

const documentsWith = ({ frequencies }: QueryAnalysis, lexeme: Lexeme): number => frequencies.get(frequencyKey(lexeme)) ?? 0;

/** How much a word says. A rare spelling says no more than a common one of the same word. */
const weightOf = (lexeme: Lexeme, analysis: QueryAnalysis): number => {
  const { insteadOf } = lexeme;
  if (insteadOf === undefined) return inverseDocumentFrequency(analysis.documents, documentsWith(analysis, lexeme));
  const spellings = [lexeme, ...insteadOf.map((text) => ({ text, isPrefix: false }))];
  const documents = Math.max(...spellings.map((spelling) => documentsWith(analysis, spelling)));
  return ALTERNATIVE_WEIGHT * inverseDocumentFrequency(analysis.documents, documents);
};

/** BM25 over title, file name and text as one field, plus the title once more as its own. */
export const scoreExpression = (plans: readonly SharedPlan[], analysis: QueryAnalysis, settings: ScoreSettings): SQL => {
  const cases = plans.map(({ configurations, plan }) => {
    const parts = plan.scored.map((lexeme) => lexemeScore(lexeme, weightOf(lexeme, analysis), settings));
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
