import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { analyseQuery, type QueryAnalysis } from './analyse-query.ts';
import { findVisible, formsAt, type Place, plansOfLexeme } from './known-words.ts';
import { EMPTY_QUERY, type WordsTerm } from './query.ts';
import type { SearchScope } from './search-scope.ts';
import { type Lexeme, uniqueLexemes } from './term-frequencies.ts';

/** One letter begins a twentieth of all words: too many to find the most frequent ones of while somebody types. */
const MIN_CHARACTERS = 2;
/** So many words are tried for one that stands in a document of the caller's. */
const MAX_TRIED = 48;
const TRIED_AT_ONCE = 12;
/** Stemmers take off this much of what is typed already, and leave this much. */
const [MAX_ENDING, MIN_STEM] = [6, 3];
const READ_FOR_STEM = 8;
/** The last character there is: sorts behind all that begins with the same letters. */
const LAST_CHARACTER = 0x10_ff_ff;

/** The stems that words with this beginning may have: shorter ones than what is typed too (universi, univers). */
const shorterStems = (beginning: string): string[] => {
  const characters = Array.from(beginning);
  const lengths = Array.from({ length: MAX_ENDING }, (_, i) => characters.length - 1 - i).filter((length) => length >= MIN_STEM);
  return lengths.map((length) => characters.slice(0, length).join(''));
};

/** What the index has with such a beginning, the most frequent ones first. */
const mostFrequent = async (db: Db, { terms }: SearchScope, beginnings: readonly Lexeme[]): Promise<string[]> => {
  const { rows } = await db.execute<{ lexeme: string }>(sql`
    select lexeme from unnest(
      ${sql.param(beginnings.map(({ text }) => text))}::text[], ${sql.param(beginnings.map(({ isPrefix }) => isPrefix))}::boolean[]
    ) as asked (word, is_prefix)
    cross join lateral (
      select lexeme, documents from ${terms}
      where lexeme >= word and lexeme <= word || case when is_prefix then chr(${LAST_CHARACTER}::int) else '' end
      order by documents desc, lexeme limit ${MAX_TRIED}
    ) as known
    group by lexeme order by max(documents) desc, lexeme limit ${MAX_TRIED}`);
  return rows.map(({ lexeme }) => lexeme);
};

/** The first `limit` of them that stand in a visible document, each with one. */
const keepVisible = async (
  db: Db,
  scope: SearchScope,
  analysis: QueryAnalysis,
  lexemes: readonly string[],
  limit: number,
): Promise<Place[]> => {
  const known: Place[] = [];
  for (let at = 0; at < lexemes.length && known.length < limit; at += TRIED_AT_ONCE) {
    const some = lexemes.slice(at, at + TRIED_AT_ONCE);
    const plans = some.map((lexeme) => plansOfLexeme(analysis, lexeme));
    const found = await findVisible(db, scope, plans, 1);
    known.push(...some.flatMap((lexeme, i) => (found[i] ?? []).map((documentId) => ({ lexeme, documentId }))));
  }
  return known.slice(0, limit);
};

/** The form that is seen most, the shortest of those. */
const usualForm = (forms: ReadonlyMap<string, number>): string[] =>
  [...forms]
    .toSorted(([a, seenA], [b, seenB]) => seenB - seenA || a.length - b.length)
    .slice(0, 1)
    .map(([form]) => form);

/** Stems have many forms, of which few begin as typed: several documents are looked at for each. */
const placesOfStems = async (db: Db, scope: SearchScope, analysis: QueryAnalysis, stems: readonly string[]): Promise<Place[]> => {
  const plans = stems.map((stem) => plansOfLexeme(analysis, stem));
  const found = await findVisible(db, scope, plans, READ_FOR_STEM);
  return stems.flatMap((lexeme, i) => (found[i] ?? []).map((documentId) => ({ lexeme, documentId })));
};

/**
 * Whole words with the beginning `typed`, the most frequent ones first: all of them stand, as they are written here, in
 * documents of `scope`.
 */
export const suggestWords = async (db: Db, scope: SearchScope, typed: string, limit: number): Promise<string[]> => {
  const plain = plainText(typed);
  if (Array.from(plain).length < MIN_CHARACTERS) return [];
  const term: WordsTerm = { text: typed, prefix: true };
  const analysis = await analyseQuery(db, scope, { ...EMPTY_QUERY, must: [[term]] });
  const beginnings = uniqueLexemes(analysis.configurations.map((name) => analysis.stepsOf(name, term)));
  const shorter = new Set(shorterStems(plain));
  const lexemes = await mostFrequent(db, scope, [...beginnings, ...[...shorter].map((text) => ({ text, isPrefix: false }))]);
  const [long, short] = [lexemes.filter((lexeme) => !shorter.has(lexeme)), lexemes.filter((lexeme) => shorter.has(lexeme))];
  const places = await Promise.all([keepVisible(db, scope, analysis, long, limit), placesOfStems(db, scope, analysis, short)]);
  const forms = await formsAt(db, places.flat(), (word) => plainText(word).startsWith(plain));
  return [...new Set(lexemes.flatMap((lexeme) => usualForm(forms.get(lexeme) ?? new Map())))].slice(0, limit);
};

const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ı: 'i', þ: 'th' };

const IS_PLAIN = /^[a-z0-9]*$/u;

/** In lower case and without accents: close to what sheaf_plain makes of it, see the migrations. */
export const plainText = (text: string): string =>
  IS_PLAIN.test(text)
    ? text
    : text
        .normalize('NFKD')
        .replace(/[\p{M}\u00ad]/gu, '')
        .toLowerCase()
        .replace(/[ßæœøłđðıþ]/gu, (letter) => LETTERS[letter] ?? letter);
