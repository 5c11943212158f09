import {
  type Clause,
  type ConditionTerm,
  type CustomField,
  type CustomFieldTerm,
  isCondition,
  type Query,
  type Term,
  writeFact,
} from './query.ts';

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

const MARK = 'field.';
const NONE = 'none';
/** Any field, or any value. */
export const ANY = '*';

export const isFieldTerm = (term: ConditionTerm): term is CustomFieldTerm => term.field.startsWith(MARK);

/** The name of the custom field that a term is about, as it was typed. */
export const fieldNameOf = ({ field }: CustomFieldTerm): string => field.slice(MARK.length);

/** `field.NAME:none`, `field.NAME:*` for any value, or a value. What stands in quotes is a text, whatever it looks like. */
export const readFieldTerm = (name: string, text: string, isQuoted: boolean): CustomFieldTerm => {
  const field: CustomField = `${MARK}${name.trim()}`;
  if (text === ANY && !isQuoted) return { text: ANY, field, compare: 'given', prefix: false };
  if (isQuoted) return { text, field, compare: 'words', prefix: false };
  return text.toLowerCase() === NONE
    ? { text: NONE, field, compare: 'missing', prefix: false }
    : { text, field, compare: 'value', prefix: false };
};

const NAME_ALONE = /^[^\s":]+$/u;

/** As readFieldTerm reads it. */
const writeFieldTerm = (term: CustomFieldTerm): string => {
  const name = fieldNameOf(term);
  return `${MARK}${NAME_ALONE.test(name) ? name : `"${name}"`}:${term.compare === 'words' ? `"${term.text}"` : term.text}`;
};
