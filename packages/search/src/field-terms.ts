import type { ConditionTerm, CustomField, CustomFieldTerm } from './query.ts';

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
export const writeFieldTerm = (term: CustomFieldTerm): string => {
  const name = fieldNameOf(term);
  return `${MARK}${NAME_ALONE.test(name) ? name : `"${name}"`}:${term.compare === 'words' ? `"${term.text}"` : term.text}`;
};
