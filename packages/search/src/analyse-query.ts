import type { Db } from '@sheaf/db';
import { PLAIN, readRows, type TotalsRow } from './index-words.ts';
import { findInnerWords, type InnerWords, isLongEnough } from './inner-words.ts';
import { isPlainStopWord } from './plain-stop-words.ts';
import { isOfWords, type Query, type Term, type WordsTerm } from './query.ts';
import type { SearchScope } from './search-scope.ts';
import { findSpellings, spelled } from './spellings.ts';
import { beginningInside, type IndexWord, type Lexeme, type Steps, toSteps, uniqueLexemes, withAlternatives } from './steps.ts';
import { type Frequencies, frequencyKey, readFrequencies } from './term-frequencies.ts';

/**
 * What words go on with that stemmers take off: `universit` is no beginning of the stem of `university`, which is `univers`. The
 * stems of a beginning with each of these tell which shorter stems belong to it.
 */
const WORD_ENDINGS: readonly string[] = [
  'y ty ity ies ties e es s ed ing ion ions ation al ment ness able ly', // English, and French in part
  'n en er ern ung ungen heit keit isch lich', // German
  'ée eur euse ique té ance ence aux o a os as ción dad zione are ar ere', // French, Spanish, Italian
].flatMap((endings) => endings.split(' '));

/** So many beginnings of one query are looked at so; the others are found by their letters alone. */
const MAX_COMPLETED_TERMS = 4;

export interface QueryAnalysis {
  /** Those that some document of the scope has. */
  readonly configurations: readonly string[];
  readonly documents: number;
  readonly averageLength: number;
  /** In how many documents the words of the query are. */
  readonly frequencies: Frequencies;
  /** A part of a word is in more words than were taken. */
  readonly isTruncated: boolean;
  stepsOf(configuration: string, term: Term): Steps;
}

const wordsAt = (row: TotalsRow | undefined, ordinal: number): IndexWord[] =>
  (row?.words ?? [])
    .filter((word) => word.ordinal === ordinal)
    .flatMap(({ lexeme, positions }) => positions.map((position) => ({ lexeme, position })));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Those of whole words came with the words; beginnings are looked up. */
const frequenciesOf = async (db: Db, scope: SearchScope, rows: readonly TotalsRow[], lexemes: readonly Lexeme[]): Promise<Frequencies> => {
  const whole = rows.flatMap(({ words }) =>
    words.map(({ lexeme: text, documents }) => [frequencyKey({ text, isPrefix: false }), documents] as const),
  );
  const known = new Map(whole);
  const beginnings = await readFrequencies(
    db,
    scope,
    lexemes.filter((lexeme) => lexeme.isInner !== true && !known.has(frequencyKey(lexeme))),
  );
  return new Map([...known, ...beginnings]);
};

/** Words are stop words with their accents; who types none means them too. */
const withoutPlainStopWords = (words: readonly IndexWord[], plain: readonly IndexWord[], configuration: string): IndexWord[] => {
  const dropped = plain.filter(({ lexeme }) => isPlainStopWord(configuration, lexeme)).map(({ position }) => position);
  return words.filter(({ position }) => !dropped.includes(position));
};

/** The texts to ask for: the terms, then each beginning with each ending. */
const textsOf = (terms: readonly WordsTerm[]): { texts: string[]; completionsAt: ReadonlyMap<WordsTerm, number> } => {
  const texts = terms.map((term) => term.text);
  const completionsAt = new Map<WordsTerm, number>();
  for (const term of terms.filter(({ prefix }) => prefix).slice(0, MAX_COMPLETED_TERMS)) {
    completionsAt.set(term, texts.length + 1);
    texts.push(...WORD_ENDINGS.map((ending) => term.text + ending));
  }
  return { texts, completionsAt };
};

/** The other spellings of terms, whole words alone, to be asked for behind `texts`: what a beginning goes on to is not known. */
const alternativesOf = (
  terms: readonly WordsTerm[],
  spellings: ReadonlyMap<string, string>,
  from: number,
): { texts: string[]; at: ReadonlyMap<WordsTerm, number> } => {
  const texts: string[] = [];
  const at = new Map<WordsTerm, number>();
  for (const term of spellings.size === 0 ? [] : terms) {
    const text = spelled(term.text, spellings);
    if (term.prefix || term.inside === true || text === term.text) continue;
    texts.push(text);
    at.set(term, from + texts.length);
  }
  return { texts, at };
};

/** The last lexemes of the completed texts that begin at ordinal `from`. */
const lastLexemes = (row: TotalsRow, from: number): string[] =>
  WORD_ENDINGS.flatMap((_, i) => wordsAt(row, from + i).toSorted((a, b) => b.position - a.position)[0]?.lexeme ?? []);

/** The words that have in them the first words of those terms that may begin earlier. */
const innerWordsOf = async (
  db: Db,
  scope: SearchScope,
  rows: readonly TotalsRow[],
  terms: readonly WordsTerm[],
): Promise<ReadonlyMap<WordsTerm, InnerWords>> => {
  const plainRow = rows.find((row) => row.configuration === PLAIN);
  const parts = terms.flatMap((term, i) => {
    const plain = wordsAt(plainRow, i + 1).toSorted((a, b) => a.position - b.position);
    const [first] = plain;
    if (term.inside !== true || first === undefined || !isLongEnough(first.lexeme)) return [];
    const stems = rows.flatMap((row) => wordsAt(row, i + 1).filter(({ position }) => position === first.position));
    return [{ term, text: first.lexeme, stems: [...new Set(stems.map(({ lexeme }) => lexeme))], isEnd: plain.length > 1 || !term.prefix }];
  });
  const found = await findInnerWords(db, scope, parts);
  return new Map(parts.flatMap(({ term }, at) => (found[at] === undefined ? [] : [[term, found[at]] as const])));
};

/** Asks PostgreSQL what the words of the query are in the index: for each language that some document of `scope` has. */
export const analyseQuery = async (db: Db, scope: SearchScope, query: Query): Promise<QueryAnalysis> => {
  const asked = [...query.must, ...query.should].flat().filter(isOfWords);
  const wanted = asked.filter(({ negated }) => negated !== true);
  const terms = [...wanted, ...asked.filter(({ negated }) => negated === true), ...query.mustNot.flat().filter(isOfWords)];
  const { texts, completionsAt } = textsOf(terms);
  const alternatives = alternativesOf(wanted, await findSpellings(db, scope, wanted), texts.length);
  const rows = await readRows(db, scope, [...texts, ...alternatives.texts]);
  const plainRow = rows.find((row) => row.configuration === PLAIN);
  const innerWords = await innerWordsOf(db, scope, rows, terms);
  const stepsFor = (row: TotalsRow, term: WordsTerm, ordinal: number): Steps => {
    const plain = wordsAt(plainRow, ordinal);
    const from = completionsAt.get(term);
    const completed = from === undefined ? [] : lastLexemes(row, from);
    const typed = toSteps(withoutPlainStopWords(wordsAt(row, ordinal), plain, row.configuration), plain, term.prefix, completed);
    const alternativeAt = alternatives.at.get(term);
    const steps = alternativeAt === undefined ? typed : withAlternatives(typed, wordsAt(row, alternativeAt));
    const inner = innerWords.get(term);
    return inner === undefined ? steps : beginningInside(steps, plain, term.prefix, inner.lexemes);
  };
  const steps = new Map<string, Map<Term, Steps>>();
  for (const row of rows) steps.set(row.configuration, new Map(terms.map((term, i) => [term, stepsFor(row, term, i + 1)])));
  const documents = sum(rows.map((row) => row.documents));
  return {
    configurations: rows.filter((row) => row.documents > 0).map((row) => row.configuration),
    documents,
    averageLength: sum(rows.map((row) => row.length)) / Math.max(documents, 1),
    frequencies: await frequenciesOf(db, scope, rows, uniqueLexemes([...steps.values()].flatMap((byTerm) => [...byTerm.values()]))),
    isTruncated: [...innerWords.values()].some(({ isTruncated }) => isTruncated),
    stepsOf: (configuration, term) => steps.get(configuration)?.get(term) ?? [],
  };
};
