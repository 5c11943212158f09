import type { Suggestion } from '@sheaf/contract/search';
import { type Db, documentsFor } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { beginsWords, longestOf, plainWords } from './begin-words.ts';
import type { SearchScope } from './search-scope.ts';

/** So many of the newest documents are looked at one by one, which finds what many titles have. */
const NEWEST = 500;
/** Shorter beginnings are in so many titles that the newest ones are enough, and the index of trigrams would not help. */
const MIN_INDEXED_CHARACTERS = 3;
/** Of those that the index finds so many are put in order. */
const MAX_INDEXED = 300;
/** With so many the rest is not looked through: the other suggestions are words. */
const ENOUGH = 5;

interface TitleRow extends Record<string, unknown> {
  readonly id: string;
  readonly title: string;
}

const readTitles = async (db: Db, source: SQL, words: readonly string[], limit: number): Promise<readonly TitleRow[]> =>
  (
    await db.execute<TitleRow>(sql`
      select id, title from (${source}) as known, lateral (select ${plainWords(sql`title`)} as plain offset 0) as form
      where ${beginsWords(sql`plain`, words)} order by created_at desc, id desc limit ${limit}`)
  ).rows;

/** Each title once, the newest first, with a document that has it. */
const toSuggestions = (rows: readonly TitleRow[], limit: number): Suggestion[] =>
  [
    ...new Map(
      rows.toReversed().map(({ id, title }) => [title.toLowerCase(), { text: title, type: 'title' as const, document_id: id }]),
    ).values(),
  ]
    .toReversed()
    .slice(0, limit);

/**
 * Titles of documents that `principal` may read with all the words, the last of which may go on: those of the newest documents,
 * and where these have too few, what the index finds of the rest.
 */
export const suggestTitles = async (
  db: Db,
  principal: Principal,
  { inOrder }: SearchScope,
  words: readonly string[],
  limit: number,
): Promise<Suggestion[]> => {
  const visible = documentsFor(principal, 'documents.read');
  const newest = sql`select id, title, created_at from documents where ${visible} order by created_at desc, id desc limit ${NEWEST}`;
  const found = toSuggestions(await readTitles(db, newest, words, limit * 2), limit);
  const longest = longestOf(words);
  if (found.length >= Math.min(limit, ENOUGH) || longest.length < MIN_INDEXED_CHARACTERS) return found;
  const indexed = sql`select id, title, created_at from documents
    where ${visible} and sheaf_plain(title) like '%' || sheaf_plain(${longest}) || '%'
    ${inOrder(sql`created_at desc, id desc`)} limit ${MAX_INDEXED}`;
  return toSuggestions(await readTitles(db, indexed, words, limit * 2), limit);
};
