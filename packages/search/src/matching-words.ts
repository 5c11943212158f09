import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';

/** Words of one configuration, and the query whose words they may be. */
export interface WordQuestion {
  readonly configuration: string;
  /** A tsquery of alternatives. */
  readonly marks: string;
  readonly words: ReadonlySet<string>;
}

/** Their stemmers also change how a word begins. */
const CHANGES_BEGINNINGS: ReadonlySet<string> = new Set([
  'sheaf_arabic',
  'sheaf_dutch',
  'sheaf_indonesian',
  'sheaf_irish',
  'sheaf_nepali',
  'sheaf_tamil',
  'sheaf_yiddish',
]);
/** Of a text that never repeats itself no more than this many words are asked for. */
const MAX_WORDS = 5_000;

const plainFirst = (word: string): string => Array.from(word.normalize('NFKD').toLowerCase())[0] ?? '';
const IS_LETTER_WITHOUT_PARTS = /^(?=[\p{Script=Latin}\p{N}])[^a-z0-9]/u;

/** First letters of the query's words; letters like ø, which lose their stroke only in PostgreSQL, are let through. */
const mayMatch = (question: WordQuestion): ((word: string) => boolean) => {
  if (CHANGES_BEGINNINGS.has(question.configuration)) return () => true;
  const firsts = new Set([...question.marks.matchAll(/'([^'])/gu)].map((match) => plainFirst(match[1] ?? '')));
  return (word) => {
    const first = plainFirst(word.replace(/^\u00ad+/u, ''));
    return firsts.has(first) || IS_LETTER_WITHOUT_PARTS.test(first);
  };
};

/**
 * Which of the words are in their query, as PostgreSQL sees it: stemmed and without accents. That is asked for the few words with
 * the right first letter, because to have it mark up the pages themselves takes three times as long as the whole search.
 */
export const findMatchingWords = async (db: Db, questions: readonly WordQuestion[]): Promise<ReadonlySet<string>[]> => {
  const asked = questions.flatMap((question, i) =>
    question.marks === ''
      ? []
      : [...question.words]
          .filter(mayMatch(question))
          .slice(0, MAX_WORDS)
          .map((word) => ({ i, word, configuration: question.configuration, marks: question.marks })),
  );
  const found = questions.map(() => new Set<string>());
  if (asked.length === 0) return found;
  const { rows } = await db.execute<{ i: number; word: string }>(sql`
    select i, word from unnest(
      ${sql.param(asked.map(({ i }) => i))}::int[], ${sql.param(asked.map(({ word }) => word))}::text[],
      ${sql.param(asked.map(({ configuration }) => configuration))}::text[], ${sql.param(asked.map(({ marks }) => marks))}::text[]
    ) as asked (i, word, configuration, marks)
    where to_tsvector(configuration::regconfig, sheaf_words(word)) @@ marks::tsquery`);
  for (const { i, word } of rows) found[i]?.add(word);
  return found;
};
