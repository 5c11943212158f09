import { editDistance, editDistanceToBeginning } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { analyseQuery, type QueryAnalysis } from './analyse-query.ts';
import { findVisible, formsAt, plansOfLexeme, plansOfWord } from './known-words.ts';
import { wordsIn } from './marks.ts';
import { type Clause, EMPTY_QUERY, isOfWords, type Query, type Term, type WordsTerm } from './query.ts';
import type { SearchScope } from './search-scope.ts';
import { plainText } from './suggest-words.ts';

/** Words alike by their trigrams; among so many the right one is, if it is there. */
const CANDIDATES = 60;
/** Looking for candidates takes some 30 ms a word among 200,000 words. */
const MAX_SUSPECTS = 8;
const MAX_WORDS = 64;
/** Counting stops here: more is common, however much more. */
const COUNTED = 50;
/** So many documents are read for the forms of a word. */
const READ = 3;
const MAX_READ_WORDS = 12;
/** The same as the index on search_terms has. */
const [MIN_CHARACTERS, MAX_CHARACTERS] = [3, 40];

/** Short words are all alike: one error makes half of them another word. A number is never near enough to another one. */
export const allowedErrors = (word: string): number => {
  const length = Array.from(word).length;
  if (length < 4 || length > MAX_CHARACTERS || /\p{N}/u.test(word)) return 0;
  return length < 6 ? 1 : 2;
};

/** A word of the index that a typed word may have been meant to be. */
interface Candidate {
  readonly lexeme: string;
  readonly errors: number;
}

const beginsAlike = (stem: string, word: string): boolean => {
  const limit = Math.min(allowedErrors(stem), allowedErrors(word));
  return limit > 0 && editDistanceToBeginning(stem, word, limit) <= limit;
};

/**
 * What one or two errors can have led away from, by how many there are. A stem counts as near where it is so to some beginning of
 * the word, as an error may keep the stemmer from the ending (electricity is electr, electrcty is electrcti).
 */
export const nearWords = (word: string, lexemes: readonly string[]): Candidate[] => {
  const limit = allowedErrors(word);
  if (limit === 0) return [];
  return lexemes
    .map((lexeme) => ({ lexeme, errors: editDistance(word, lexeme, limit) }))
    .filter(({ lexeme, errors }) => errors <= limit || beginsAlike(lexeme, word))
    .filter(({ errors }) => errors > 0)
    .toSorted((a, b) => a.errors - b.errors);
};

/** The words that may be errors, each once. A beginning is none: it is meant to be no whole word. */
const wordsToCheck = (query: Query): WordsTerm[] => {
  const terms = [...query.must, ...query.should]
    .flat()
    .filter((term) => isOfWords(term) && term.negated !== true && !term.prefix && term.inside !== true);
  const words = terms.flatMap((term) => wordsIn(term.text).map((word) => word.text.toLowerCase()));
  return [...new Set(words)]
    .filter((word) => allowedErrors(word) > 0)
    .slice(0, MAX_WORDS)
    .map((text) => ({ text, prefix: false }));
};

interface Suspect {
  readonly word: WordsTerm;
  /** How many documents have it. */
  readonly documents: number;
}

/**
 * Choice: a word that no document has is taken for an error; where all are known and yet find nothing together, the rarest of them
 * is. Only documents that the caller may read count, so that the words of others neither show nor hide anything.
 */
const findSuspects = (words: readonly WordsTerm[], counts: readonly number[], asked: readonly boolean[], which: Which): Suspect[] => {
  const known = words.map((word, i) => ({ word, documents: counts[i] ?? 0, isAsked: asked[i] === true })).filter(({ isAsked }) => isAsked);
  if (which === 'unknown') return known.filter(({ documents }) => documents === 0).slice(0, MAX_SUSPECTS);
  return known.toSorted((a, b) => a.documents - b.documents).slice(0, 1);
};

/** What the index may have of a word, in each language. */
const stemsOf = (analysis: QueryAnalysis, word: WordsTerm): string[] => [
  ...new Set(analysis.configurations.flatMap((name) => analysis.stepsOf(name, word).flatMap((step) => step.anyOf.map(({ text }) => text)))),
];

const findCandidates = async (db: Db, { dictionary }: SearchScope, stems: readonly string[]): Promise<Candidate[]> => {
  const { rows } = await db.execute<{ stem: string; lexeme: string }>(sql`
    select stem, lexeme from unnest(${sql.param(stems)}::text[]) as asked (stem)
    cross join lateral (
      select lexeme, lexeme <-> stem as distance from ${dictionary}
      where char_length(lexeme) between ${sql.raw(`${MIN_CHARACTERS} and ${MAX_CHARACTERS}`)} order by lexeme <-> stem, lexeme limit ${CANDIDATES}
    ) as near order by distance, lexeme`);
  return stems.flatMap((stem) =>
    nearWords(
      stem,
      rows.filter((row) => row.stem === stem).map((row) => row.lexeme),
    ),
  );
};

interface Form {
  readonly form: string;
  readonly errors: number;
}

/** The form of a word that is nearest to what was typed, of those the one that is seen most. */
const nearestForm = (typed: string, forms: ReadonlyMap<string, number>): Form | undefined =>
  [...forms]
    .map(([form, seen]) => ({ form, seen, errors: editDistance(plainText(typed), plainText(form), typed.length) }))
    .toSorted((a, b) => a.errors - b.errors || b.seen - a.seen)[0];

/**
 * The word that was meant, as documents have it: of the words with the fewest errors, in the form that stands there and in the
 * stem, the one in the most documents. Choice: a correction is written in a form that stands in a document the caller may read, as the index knows stems only.
 */
const correct = async (db: Db, scope: SearchScope, analysis: QueryAnalysis, { word, documents }: Suspect): Promise<string | undefined> => {
  const near = await findCandidates(db, scope, stemsOf(analysis, word));
  const plans = near.map(({ lexeme }) => plansOfLexeme(analysis, lexeme));
  const found = await findVisible(db, scope, plans, COUNTED);
  const known = near
    .map((candidate, i) => ({ ...candidate, documentIds: found[i] ?? [] }))
    .filter(({ documentIds }) => documentIds.length > 0 && documentIds.length >= documents)
    .slice(0, MAX_READ_WORDS);
  const places = known.flatMap(({ lexeme, documentIds }) => documentIds.slice(0, READ).map((documentId) => ({ lexeme, documentId })));
  const forms = await formsAt(db, places, () => true);
  const limit = allowedErrors(word.text);
  return known
    .map(({ lexeme, errors, documentIds }) => {
      const nearest = nearestForm(word.text, forms.get(lexeme) ?? new Map()) ?? { form: lexeme, errors };
      return { text: nearest.form, errors: Math.min(errors, nearest.errors), sum: errors + nearest.errors, documents: documentIds.length };
    })
    .filter((candidate) => candidate.errors <= limit)
    .toSorted((a, b) => a.errors - b.errors || a.sum - b.sum || b.documents - a.documents)[0]?.text;
};

const replaceWords = (text: string, corrections: ReadonlyMap<string, string>): string => {
  let result = '';
  let at = 0;
  for (const word of wordsIn(text)) {
    result += text.slice(at, word.start) + (corrections.get(word.text.toLowerCase()) ?? word.text);
    at = word.end;
  }
  return result + text.slice(at);
};

type Which = 'unknown' | 'rarest';

/** The query with what its words were meant to be, or undefined where nothing is to be corrected. */
export const correctQuery = async (db: Db, scope: SearchScope, query: Query, which: Which): Promise<Query | undefined> => {
  const words = wordsToCheck(query);
  if (words.length === 0) return undefined;
  const analysis = await analyseQuery(db, scope, { ...EMPTY_QUERY, must: words.map((word) => [word]) });
  const plans = words.map((word) => plansOfWord(analysis, word));
  const counts = (await findVisible(db, scope, plans, COUNTED)).map((ids) => ids.length);
  const suspects = findSuspects(
    words,
    counts,
    plans.map((plan) => plan.length > 0),
    which,
  );
  const corrections = new Map<string, string>();
  for (const suspect of suspects) {
    const better = await correct(db, scope, analysis, suspect);
    if (better !== undefined) corrections.set(suspect.word.text, better);
  }
  if (corrections.size === 0) return undefined;
  const inTerm = (term: Term): Term =>
    isOfWords(term) && term.negated !== true && !term.prefix ? { ...term, text: replaceWords(term.text, corrections) } : term;
  const inClauses = (clauses: readonly Clause[]): Clause[] => clauses.map((clause) => clause.map(inTerm));
  return { ...query, must: inClauses(query.must), should: inClauses(query.should) };
};
