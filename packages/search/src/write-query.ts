import { writeFact } from './fact-terms.ts';
import { isFieldTerm, writeFieldTerm } from './field-terms.ts';
import { type Clause, isCondition, type Query, type Term } from './query.ts';

/** Nothing in it that parseQuery would take for a sign of its own. */
const WORD_ALONE = /^(?!(?:OR|AND)$)[\p{L}\p{N}][^\s":]*(?<!\*)$/u;

const writeText = (text: string): string => (WORD_ALONE.test(text) ? text : `"${text}"`);

const writeTerm = (term: Term): string => (term.negated === true ? `-${writeAsked(term)}` : writeAsked(term));

const writeAsked = (term: Term): string => {
  const field = term.field === undefined ? '' : `${term.field}:`;
  if (isCondition(term) && isFieldTerm(term)) return writeFieldTerm(term);
  if (isCondition(term)) return writeFact(term, writeText) ?? `${field}${writeText(term.text)}${term.compare === 'contains' ? '*' : ''}`;
  if (term.inAnyOrder === true)
    return term.text
      .split(/\s+/u)
      .map((word) => `${field}${word}`)
      .join(' ');
  return `${field}${term.inside === true ? '*' : ''}${writeText(term.text)}${term.prefix ? '*' : ''}`;
};

const writeClause = (clause: Clause): string => clause.map(writeTerm).join(' OR ');

/** The query as a person would type it. What parseQuery has read it reads the same again. */
export const writeQuery = ({ must, should, mustNot }: Query): string =>
  [
    ...must.map(writeClause),
    ...(should.length === 0 ? [] : [writeClause(should.flat())]),
    ...mustNot.map((clause) => clause.map((term) => `-${writeTerm(term)}`).join(' ')),
  ].join(' ');
