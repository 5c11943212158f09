import type { WordField } from './query.ts';
import type { Lexeme, Step, Steps } from './steps.ts';

/** The weights that packages/search/src/index-document.ts gives to the words of a field. */
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
