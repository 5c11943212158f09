import { type Db, runPrepared } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { wordsIn } from './marks.ts';
import type { WordsTerm } from './query.ts';
import type { SearchScope } from './search-scope.ts';
import { lexemeQuery, anyOf as oneOf } from './term-frequencies.ts';

/** A word in so many documents was spelled as it was meant. */
const MAX_DOCUMENTS = 50;
const MAX_WORDS = 4;
/** Looked through for a word with its umlaut. */
const [MAX_READ_DOCUMENTS, MAX_READ_PAGES] = [200, 500];
/** So many letters behind its last umlaut say which word it is, whatever its ending. */
const LETTERS_BEHIND = 2;

const DIGRAPHS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };
const UMLAUTS: Readonly<Record<string, string>> = { a: 'ä', o: 'ö', u: 'ü' };

/** Of "neue", "Feuer" and "Quelle" the e belongs to another sound, and no word of many ends with an umlaut: "value", "shoe". */
const DIGRAPH = /(?<![aeiouyqäöü])([aou])e(?=\p{L})/gu;

const withDigraphs = (word: string): string => word.replaceAll(/[äöü]/gu, (letter) => DIGRAPHS[letter] ?? letter);
const withUmlauts = (word: string): string => word.replaceAll(DIGRAPH, (both, vowel: string) => UMLAUTS[vowel] ?? both);

const plain = (word: string): string => word.normalize('NFC').toLowerCase();

/** `text` with its words in those spellings. */
export const spelled = (text: string, spellings: ReadonlyMap<string, string>): string => {
  let result = '';
  let at = 0;
  for (const word of wordsIn(text)) {
    result += text.slice(at, word.start) + (spellings.get(plain(word.text)) ?? word.text);
    at = word.end;
  }
  return result + text.slice(at);
};

interface Candidate {
  readonly typed: string;
  readonly umlauts: string;
}

/** A word up to behind its last umlaut as it may stand in a text, for LIKE; also with ß ("Groesse", "Größe"). */
const patternsOf = (word: string): string[] => {
  const letters = Array.from(word);
  const last = letters.findLastIndex((letter) => DIGRAPHS[letter] !== undefined);
  const beginning = letters.slice(0, last + 1 + LETTERS_BEHIND).join('');
  const forms = [beginning, ...(beginning.includes('ss') ? [beginning.replaceAll('ss', 'ß')] : [])];
  return forms.flatMap((form) => [form, form.charAt(0).toUpperCase() + form.slice(1), form.toUpperCase()]).map((text) => `%${text}%`);
};

/** Which of the candidates stand with their umlauts in a document that may be read: the index knows words without accents only. */
const standingWords = async (
  db: Db,
  { visible, inOrder }: SearchScope,
  candidates: readonly (Candidate & { readonly lexemes: readonly string[] })[],
): Promise<readonly Candidate[]> => {
  if (candidates.length === 0) return [];
  const stands = candidates.map(({ umlauts, lexemes }) => {
    const query = oneOf(lexemes.map((text) => lexemeQuery({ text, isPrefix: false })));
    const patterns = sql`any(${sql.param(patternsOf(umlauts))}::text[])`;
    return sql`(
      with found as materialized (
        select document_search.document_id as id from document_search
        where ${visible} and document_search.words @@ ${query}::tsquery ${inOrder(sql`document_search.document_id`)}
        limit ${sql.raw(String(MAX_READ_DOCUMENTS))}
      )
      select exists (select from found join documents on documents.id = found.id
          where documents.title like ${patterns} or documents.filename like ${patterns})
        or exists (select from (
          select content from found join document_pages on document_pages.document_id = found.id limit ${sql.raw(String(MAX_READ_PAGES))}
        ) as pages where content like ${patterns})
    )`;
  });
  const { rows } = await db.execute<{ stands: boolean[] }>(sql`select json_build_array(${sql.join(stands, sql`, `)}) as stands`);
  return candidates.filter((_, at) => rows[0]?.stands[at] === true);
};

/** The words with ae, oe or ue that may stand for an umlaut and are in few documents, as they stand in others with it. */
const findUmlauts = async (db: Db, scope: SearchScope, words: readonly string[]): Promise<readonly Candidate[]> => {
  const candidates = words
    .map((typed) => ({ typed, umlauts: withUmlauts(typed) }))
    .filter(({ typed, umlauts }) => typed !== umlauts)
    .slice(0, MAX_WORDS);
  if (candidates.length === 0) return [];
  const rows = await readRows(
    db,
    scope,
    candidates.flatMap(({ typed, umlauts }) => [typed, umlauts]),
  );
  const wordsAt = (ordinal: number) => rows.flatMap(({ words: found }) => found.filter((word) => word.ordinal === ordinal));
  const likely = candidates.flatMap((candidate, at) => {
    const typed = wordsAt(2 * at + 1);
    const own = new Set(typed.map(({ lexeme }) => lexeme));
    const others = wordsAt(2 * at + 2).filter(({ lexeme, documents }) => documents > 0 && !own.has(lexeme));
    const isCommon = typed.some(({ documents }) => documents > MAX_DOCUMENTS);
    return isCommon || others.length === 0 ? [] : [{ ...candidate, lexemes: [...new Set(others.map(({ lexeme }) => lexeme))] }];
  });
  return standingWords(db, scope, likely);
};

/**
 * Other spellings of the words: "Wuerde" for "Würde", and "Würde" for "Wuerde" where it is meant. An umlaut can always be written with an e,
 * but most words with ue have no umlaut ("Samuel"): for those, the word with it has to stand in a document that may be read. The index
 * has "ß" as "ss" anyway.
 */
export const findSpellings = async (db: Db, scope: SearchScope, terms: readonly WordsTerm[]): Promise<ReadonlyMap<string, string>> => {
  const words = [
    ...new Set(
      terms.filter(({ prefix, inside }) => !prefix && inside !== true).flatMap(({ text }) => wordsIn(text).map((word) => plain(word.text))),
    ),
  ];
  const spellings = new Map(words.map((word) => [word, withDigraphs(word)] as const).filter(([word, other]) => word !== other));
  for (const { typed, umlauts } of await findUmlauts(db, scope, words)) spellings.set(typed, umlauts);
  return spellings;
};

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
