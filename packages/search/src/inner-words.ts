import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { SearchScope } from './search-scope.ts';

/** So many words stand for a part of a word, the most frequent first: each costs a look into the index. */
const MAX_WORDS = 128;
/** Words after these are left out where those before them are in so many documents: each document costs some 7 µs. */
const MAX_DOCUMENTS = 4_000;
/** The same as the index on search_terms has. */
const [MIN_CHARACTERS, MAX_CHARACTERS] = [3, 40];
/** Words of documents that came just now are not in the dictionary yet. */
const NEWEST_DELTAS = 100;

/** A part of a word that is looked for: anywhere in it, or at its end. */
export interface WordPart {
  readonly text: string;
  /** How words that end with it may end in the index, where endings are taken off. */
  readonly stems: readonly string[];
  readonly isEnd: boolean;
}

export interface InnerWords {
  readonly lexemes: readonly string[];
  /** There are more. */
  readonly isTruncated: boolean;
}

/** A part of fewer letters is in so many words that it tells nothing. */
export const isLongEnough = (text: string): boolean => Array.from(text).length >= MIN_CHARACTERS;

const literal = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

const patternsOf = ({ text, stems, isEnd }: WordPart): string[] => [
  ...new Set([isEnd ? `%${literal(text)}` : `%${literal(text)}%`, ...stems.filter(isLongEnough).map((stem) => `%${literal(stem)}`)]),
];

/**
 * The words of the index that have each part in them, out of the dictionary by its trigrams; the text of no document is read. For parts of
 * at least three letters.
 */
export const findInnerWords = async (db: Db, { dictionary, deltas }: SearchScope, parts: readonly WordPart[]): Promise<InnerWords[]> => {
  if (parts.length === 0) return [];
  const asked = parts.flatMap((part, ordinal) => patternsOf(part).map((pattern) => ({ ordinal, pattern })));
  const limit = MAX_WORDS + 1;
  const { rows } = await db.execute<{ ordinal: number; lexeme: string; documents: number }>(sql`
    with newest as materialized (
      select distinct lexeme from (select lexemes from ${deltas} order by id desc limit ${NEWEST_DELTAS}) as latest,
        unnest(tsvector_to_array(lexemes)) as lexeme
    )
    select ordinal, lexeme, max(documents)::float8 as documents
    from unnest(${sql.param(asked.map(({ ordinal }) => ordinal))}::int[], ${sql.param(asked.map(({ pattern }) => pattern))}::text[])
      as asked (ordinal, pattern)
    cross join lateral (
      (select lexeme, documents from ${dictionary}
        where lexeme like pattern and char_length(lexeme) between ${sql.raw(`${MIN_CHARACTERS} and ${MAX_CHARACTERS}`)}
        order by documents desc, lexeme limit ${limit})
      union all (select lexeme, 1 from newest where lexeme like pattern limit ${limit})
    ) as known
    group by ordinal, lexeme order by ordinal, max(documents) desc, lexeme`);
  return parts.map((_, at) => {
    const found = rows.filter(({ ordinal }) => ordinal === at);
    const count = Math.min(found.length, MAX_WORDS, withinBudget(found));
    return { lexemes: found.slice(0, count).map(({ lexeme }) => lexeme), isTruncated: count < found.length };
  });
};

/** How many words come before there are too many documents; one at least. */
const withinBudget = (words: readonly { readonly documents: number }[]): number => {
  let documents = 0;
  const end = words.findIndex((word, at) => {
    documents += word.documents;
    return at > 0 && documents > MAX_DOCUMENTS;
  });
  return end === -1 ? words.length : end;
};
