import type { Suggestion } from '@sheaf/contract/search';
import { correspondentsFor, type Db, documentsFor, documentTypesFor } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { MAX_SUGGESTIONS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { wordsIn } from './marks.ts';
import { cleanText } from './query.ts';
import { type SearchScope, searchScope } from './search-scope.ts';
import { suggestWords } from './suggest-words.ts';

/** Half of the suggestions are kept for titles where there are so many; words that are missing leave their place to titles. */
const MAX_TITLES = 5;
/** Of a longer text the last words are completed. */
const MAX_WORDS = 8;

/**
 * What may complete `q`: correspondents, document types and titles that have all its words, and whole words for its last one. Nothing that the
 * caller may not read.
 */
export const suggest = async (db: Db, principal: Principal, q: string): Promise<Suggestion[]> => {
  const scope = searchScope(principal);
  const words = wordsIn(cleanText(q))
    .map(({ text }) => text)
    .slice(-MAX_WORDS);
  const last = words.at(-1);
  if (scope === undefined || last === undefined) return [];
  const [names, titles, completed] = await Promise.all([
    suggestNames(db, principal, words),
    suggestTitles(db, principal, scope, words, MAX_SUGGESTIONS),
    suggestWords(db, scope, last, MAX_SUGGESTIONS),
  ]);
  const free = MAX_SUGGESTIONS - names.length;
  const shown = completed.slice(0, Math.max(0, free - Math.min(titles.length, MAX_TITLES)));
  return [...names, ...shown.map((text): Suggestion => ({ text, type: 'word' })), ...titles.slice(0, free - shown.length)];
};

/** One letter begins too many names to choose from. */
const MIN_CHARACTERS = 2;
/** So many names are tried for one that a document has. */
const MAX_TRIED = 200;
const MAX_OF_KIND = 3;

interface NameRow extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
}

interface NamedKind {
  readonly table: SQL;
  /** Whether a document has the row `known`. The name beside the id lets the index of the caller's own documents answer. */
  readonly isOfDocument: SQL;
  readonly allowedFor: (principal: Principal) => SQL;
  readonly toSuggestion: (row: NameRow) => Suggestion;
}

const CORRESPONDENTS: NamedKind = {
  table: sql`correspondents`,
  isOfDocument: sql`documents.correspondent_id = known.id and documents.correspondent_key = known.name_key`,
  allowedFor: (principal) => correspondentsFor(principal, 'labels.read'),
  toSuggestion: ({ id, name }) => ({ text: name, type: 'correspondent', correspondent_id: id }),
};

const DOCUMENT_TYPES: NamedKind = {
  table: sql`document_types`,
  isOfDocument: sql`documents.document_type_id = known.id and documents.document_type_key = known.name_key`,
  allowedFor: (principal) => documentTypesFor(principal, 'labels.read'),
  toSuggestion: ({ id, name }) => ({ text: name, type: 'document_type', document_type_id: id }),
};

/** The trigram index of the names finds those with such words; each is then looked for in the indexes of documents. */
const suggestOf = async (db: Db, principal: Principal, kind: NamedKind, words: readonly string[]): Promise<Suggestion[]> => {
  const { table, isOfDocument, allowedFor, toSuggestion } = kind;
  const plain = plainWords(sql`${table}.name`);
  const order = sql`is_beginning desc, name_key, id`;
  const { rows } = await db.execute<NameRow>(sql`
    select id, name from (
      select ${table}.id, ${table}.name, ${table}.name_key, ${plain} like sheaf_plain(${words[0]}) || '%' as is_beginning from ${table}
      where ${allowedFor(principal)} and ${beginsWords(plain, words)}
      order by ${order} limit ${MAX_TRIED}
    ) as known
    where exists (select from documents where ${isOfDocument} and ${documentsFor(principal, 'documents.read')})
    order by ${order} limit ${MAX_OF_KIND}`);
  return rows.map(toSuggestion);
};

/**
 * Correspondents and document types that `principal` may see, of documents that they may read, whose names have all the words, the last
 * of which may go on. Names that begin as typed come first.
 */
const suggestNames = async (db: Db, principal: Principal, words: readonly string[]): Promise<Suggestion[]> => {
  if (Array.from(longestOf(words)).length < MIN_CHARACTERS) return [];
  const kinds = [CORRESPONDENTS, DOCUMENT_TYPES];
  return (await Promise.all(kinds.map((kind) => suggestOf(db, principal, kind, words)))).flat();
};

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
const suggestTitles = async (
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

/** A text as `beginsWords` compares it: its words without case, accents and signs. */
const plainWords = (text: SQL): SQL => sql`sheaf_plain(sheaf_words(${text}))`;

/** Whether a plain text has all words, each at the beginning of one of its own. A word has no sign that means something in a pattern. */
const beginsWords = (plain: SQL, words: readonly string[]): SQL =>
  sql.join(
    words.map((word) => sql`(${plain} like sheaf_plain(${word}) || '%' or ${plain} like '% ' || sheaf_plain(${word}) || '%')`),
    sql` and `,
  );

/** The longest of them, which parts most from the rest. */
const longestOf = (words: readonly string[]): string => words.reduce((a, b) => (b.length > a.length ? b : a), '');
