import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { WordField } from './query.ts';
import type { SearchScope } from './search-scope.ts';

/** A word as the index has it, or the beginning of such words. */
export interface Lexeme {
  readonly text: string;
  readonly isPrefix: boolean;
  /** Stands for a part of a word: it finds and is marked, but does not score, as there may be very many of them. */
  readonly isInner?: true;
  /** The words that it is another spelling of: it scores less than they do. */
  readonly insteadOf?: readonly string[];
}

/** One place in a term: any of these stands there. */
export interface Step {
  readonly position: number;
  readonly anyOf: readonly Lexeme[];
}

/** A term as the index has it, in order. Without a step the term is made of stop words or signs alone. */
export type Steps = readonly Step[];

/** What the parser makes of a word at a position of a term. */
export interface IndexWord {
  readonly lexeme: string;
  readonly position: number;
}

const exact = (text: string): Lexeme => ({ text, isPrefix: false });
const beginning = (text: string): Lexeme => ({ text, isPrefix: true });

/**
 * The beginning of a word as typed, and the word itself where its stem is no beginning of it (company, compani). A stem that is
 * one stands for both (invoice, invoic).
 */
const prefixes = (typed: string, stems: readonly string[]): Lexeme[] => {
  const stem = stems.find((text) => typed.startsWith(text));
  return stem === undefined ? [beginning(typed), ...stems.map(exact)] : [beginning(stem)];
};

/**
 * `words` as the configuration of the documents has them, `plain` without stemming and stop words. For a term with a beginning
 * `completed` are stems of words that it may go on to, of which the shorter ones are asked for as they are.
 */
export const toSteps = (
  words: readonly IndexWord[],
  plain: readonly IndexWord[],
  prefix: boolean,
  completed: readonly string[] = [],
): Steps => {
  const byPosition = new Map<number, string[]>();
  for (const { lexeme, position } of words) byPosition.set(position, [...(byPosition.get(position) ?? []), lexeme]);
  const last = prefix ? plain.toSorted((a, b) => a.position - b.position).at(-1) : undefined;
  const steps = [...byPosition]
    .filter(([position]) => position !== last?.position)
    .map(([position, lexemes]) => ({ position, anyOf: lexemes.map(exact) }));
  if (last !== undefined) {
    const anyOf = prefixes(last.lexeme, byPosition.get(last.position) ?? []);
    const covered = anyOf.map(({ text }) => text);
    const shorter = new Set(completed.filter((stem) => last.lexeme.startsWith(stem) && !covered.some((text) => stem.startsWith(text))));
    steps.push({ position: last.position, anyOf: [...anyOf, ...[...shorter].map(exact)] });
  }
  return steps.toSorted((a, b) => a.position - b.position);
};

/** The steps of a term whose first word may begin earlier: it is any of `words`, which have it in them. */
export const beginningInside = (steps: Steps, plain: readonly IndexWord[], prefix: boolean, words: readonly string[]): Steps => {
  const first = plain.toSorted((a, b) => a.position - b.position)[0];
  if (first === undefined) return steps;
  const before = steps.find(({ position }) => position === first.position)?.anyOf ?? [];
  const own = [...before, ...(prefix && plain.length === 1 ? [] : [exact(first.lexeme)])];
  const covered = new Set(own.filter(({ isPrefix }) => !isPrefix).map(({ text }) => text));
  const inner = words.filter((word) => !covered.has(word)).map((text): Lexeme => ({ text, isPrefix: false, isInner: true }));
  const anyOf = [...own, ...inner];
  return [{ position: first.position, anyOf }, ...steps.filter(({ position }) => position !== first.position)];
};

/** The steps with what the same words are in another spelling, beside what they are. */
export const withAlternatives = (steps: Steps, words: readonly IndexWord[]): Steps =>
  steps.map(({ position, anyOf }) => {
    const typed = anyOf.map(({ text }) => text);
    const others = words.filter((word) => word.position === position && !typed.includes(word.lexeme));
    return { position, anyOf: [...anyOf, ...others.map(({ lexeme }): Lexeme => ({ text: lexeme, isPrefix: false, insteadOf: typed }))] };
  });

/** Each lexeme of the terms once, in order. */
export const uniqueLexemes = (terms: readonly Steps[]): Lexeme[] => [
  ...new Map(
    terms.flatMap((steps) => steps.flatMap((step) => step.anyOf)).map((lexeme) => [`${lexeme.isPrefix} ${lexeme.text}`, lexeme]),
  ).values(),
];

/** In how many documents each word is. For a beginning: how often words that begin so are in documents, an upper bound. */
export type Frequencies = ReadonlyMap<string, number>;

export const frequencyKey = (lexeme: Lexeme): string => lexemeQuery(lexeme);

/** The last character there is: sorts behind all that begins with the same letters. */
const LAST_CHARACTER = 0x10_ff_ff;

interface FrequencyRow extends Record<string, unknown> {
  readonly key: string;
  readonly documents: number;
}

/** Reads what was folded and what is still to be in one snapshot, so that no document is counted twice or not at all. */
export const readFrequencies = async (db: Db, { terms, deltas }: SearchScope, lexemes: readonly Lexeme[]): Promise<Frequencies> => {
  if (lexemes.length === 0) return new Map();
  const { rows } = await db.execute<FrequencyRow>(sql`
    select key, greatest(0, coalesce(case when is_prefix
        then (select sum(documents) from ${terms} where lexeme >= word and lexeme < word || chr(${LAST_CHARACTER}::int))
        else (select documents from ${terms} where lexeme = word) end, 0)
      + coalesce((select sum(sign) from ${deltas} where lexemes @@ key::tsquery), 0))::float8 as documents
    from unnest(${sql.param(lexemes.map(frequencyKey))}::text[], ${sql.param(lexemes.map((lexeme) => lexeme.text))}::text[],
      ${sql.param(lexemes.map((lexeme) => lexeme.isPrefix))}::boolean[]) as asked (key, word, is_prefix)`);
  return new Map(rows.map((row) => [row.key, row.documents]));
};

/** The weights that packages/search/src/search-entries.ts gives to the words of a field. */
const WEIGHTS = { title: 'A', filename: 'B', note: 'C', content: 'D' } as const satisfies Record<WordField, string>;

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** PostgreSQL's text form of one word of a query. */
export const lexemeQuery = ({ text, isPrefix }: Lexeme, field?: WordField): string => {
  const flags = `${isPrefix ? '*' : ''}${field === undefined ? '' : WEIGHTS[field]}`;
  return flags === '' ? quote(text) : `${quote(text)}:${flags}`;
};

const joined = (parts: readonly string[], operator: string): string =>
  parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(operator)})`;

export const anyOf = (queries: readonly string[]): string => joined(queries, ' | ');
export const allOf = (queries: readonly string[]): string => joined(queries, ' & ');

const stepQuery = (step: Step, field?: WordField): string => anyOf(step.anyOf.map((lexeme) => lexemeQuery(lexeme, field)));

/** All steps one after the other, at their distances. */
export const phraseQuery = (steps: Steps, field?: WordField): string =>
  steps.reduce((query, step, i) => {
    const before = steps[i - 1];
    if (before === undefined) return stepQuery(step, field);
    return `(${query} <${step.position - before.position}> ${stepQuery(step, field)})`;
  }, '');

/** All steps anywhere: what a phrase is without its order. */
export const scatteredQuery = (steps: Steps, field?: WordField): string => allOf(steps.map((step) => stepQuery(step, field)));
