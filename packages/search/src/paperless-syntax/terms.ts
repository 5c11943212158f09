import { type FactName, readFact } from '../fact-terms.ts';
import { readFieldTerm } from '../field-terms.ts';
import type { Term, WordField } from '../query.ts';
import { toDates, toRanges } from './dates.ts';
import { NotUnderstood, type Token } from './tokens.ts';

/** A word, a phrase or a range: what a field can be asked for. */
export type Value = Extract<Token, { readonly kind: 'word' | 'phrase' | 'range' }>;

/** Holds when all of them do, or any of them. */
export interface Terms {
  readonly how: 'and' | 'or';
  readonly terms: readonly Term[];
}

const OWN_FIELD = 'field.';
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const STARS_AROUND = /^\*?[^*?]+\*?$/u;
const BOOST = /[\^~]\d{0,3}(?:\.\d{1,3})?$/;

const one = (term: Term): Terms => ({ how: 'and', terms: [term] });

const textOf = (value: Value): string => (value.kind === 'phrase' ? value.phrase.trim() : value.text);

/** The text of a value that is compared as a whole. */
const plainText = (field: string, value: Value): string => {
  const text = textOf(value);
  if (value.kind === 'range') throw new NotUnderstood(`${field}: takes no range such as ${value.text}.`);
  if (text === '' || text.includes('"')) throw new NotUnderstood(`${field}: needs a value.`);
  return text;
};

/** A word that may begin earlier or go on, as its stars say. */
const readStars = (text: string): { readonly text: string; readonly prefix: boolean; readonly inside?: true } => {
  if (!STARS_AROUND.test(text))
    throw new NotUnderstood(`"${text}" has a wildcard within a word: only *text, text* and *text* are supported.`);
  const inside = text.startsWith('*') ? { inside: true as const } : {};
  return { text: text.replaceAll('*', ''), prefix: text.endsWith('*'), ...inside };
};

const requireNoBoost = (text: string): void => {
  if (BOOST.test(text)) throw new NotUnderstood(`"${text}": boosts (^2) and distances (~2) are not supported.`);
};

/** Words of the text, or of a part of it; undefined for signs alone, which nothing has. */
export const wordsTerm = (value: Value, field?: WordField): Terms | undefined => {
  const of = field === undefined ? {} : { field };
  const text = plainText(field ?? 'A word', value);
  if (!LETTER_OR_DIGIT.test(text)) return undefined;
  if (value.kind === 'phrase') return one({ text, prefix: false, ...of });
  requireNoBoost(text);
  return one({ ...readStars(text), ...of });
};

type Reader = (value: Value, name: string) => Terms | undefined;

const words =
  (field: WordField): Reader =>
  (value) =>
    wordsTerm(value, field);

const label: Reader = (value, name) => {
  const text = plainText(name, value);
  if (value.kind === 'phrase') return one({ text, field: 'label', compare: 'equal', prefix: false });
  requireNoBoost(text);
  const stars = readStars(text);
  return one({ text: stars.text, field: 'label', compare: stars.prefix || stars.inside === true ? 'contains' : 'equal', prefix: false });
};

const fact = (name: string, own: FactName, text: string, isQuoted: boolean, part: string): Term => {
  const term = readFact(own, text, isQuoted);
  if (term === undefined) throw new NotUnderstood(`${name}: does not take "${part}".`);
  return term;
};

const isNone = ({ kind, text }: Value): boolean => kind === 'word' && text.toLowerCase() === 'none';

/** A name, each word of which must be in it; `*` is any. */
const named =
  (own: 'from' | 'type'): Reader =>
  (value, name) => {
    const text = plainText(name, value);
    if (isNone(value) && name !== 'correspondent') return one(fact(name, own, text, false, text));
    if (text === '*') return one({ ...fact(name, own, 'none', false, text), negated: true });
    requireNoBoost(text);
    const plain = value.kind === 'phrase' ? text : readStars(text).text;
    return LETTER_OR_DIGIT.test(plain) ? one(fact(name, own, plain, true, text)) : undefined;
  };

const ranged =
  (own: FactName, toValue: (text: string) => string, toBound?: (text: string) => string): Reader =>
  (value, name) => {
    if (isNone(value)) return one(fact(name, own, value.text, false, value.text));
    if (value.kind !== 'range') return one(fact(name, own, toValue(textOf(value)), true, value.text));
    return { how: 'and', terms: toRanges(value.range, value.text, toBound).map((text) => fact(name, own, text, true, value.text)) };
  };

const dates = (own: FactName): Reader => ranged(own, toDates);
const numbers: Reader = (value, name) =>
  textOf(value) === '*'
    ? one({ ...fact(name, 'asn', 'none', false, '*'), negated: true })
    : ranged(
        'asn',
        (text) => text,
        (text) => text,
      )(value, name);

const fieldText = (name: string, value: Value): string => {
  const text = plainText(name, value);
  if (value.kind === 'phrase') return text;
  requireNoBoost(text);
  return readStars(text).text;
};

/** A custom field by its name, as in our own syntax. */
const ownField = (name: string, value: Value): Terms => {
  const text = plainText(name, value);
  return one(readFieldTerm(name, text, value.kind === 'phrase'));
};

const fieldName: Reader = (value, name) => one(readFieldTerm(fieldText(name, value), '*', false));
const fieldValue: Reader = (value, name) => {
  const text = fieldText(name, value);
  return LETTER_OR_DIGIT.test(text) ? one(readFieldTerm('*', text, value.kind === 'phrase')) : undefined;
};
const anyField: Reader = (value, name) => {
  const terms = [fieldName(value, name), fieldValue(value, name)].flatMap((found) => found?.terms ?? []);
  return { how: 'or', terms };
};

const READERS: Readonly<Record<string, Reader>> = {
  title: words('title'),
  content: words('content'),
  original_filename: words('filename'),
  filename: words('filename'),
  note: words('note'),
  notes: words('note'),
  'notes.note': words('note'),
  tag: label,
  tags: label,
  label,
  correspondent: named('from'),
  from: named('from'),
  type: named('type'),
  document_type: named('type'),
  created: dates('created'),
  date: dates('date'),
  added: dates('added'),
  modified: dates('modified'),
  asn: numbers,
  archive_serial_number: numbers,
  owner: (value, name) => one(fact(name, 'owner', plainText(name, value), true, value.text)),
  custom_field: anyField,
  custom_fields: anyField,
  'custom_fields.name': fieldName,
  'custom_fields.value': fieldValue,
};

/** What a field asks for; undefined for signs alone. Throws NotUnderstood. */
export const fieldTerms = (name: string, value: Value): Terms | undefined => {
  if (name.startsWith(OWN_FIELD)) return ownField(name.slice(OWN_FIELD.length), value);
  const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (reader === undefined) throw new NotUnderstood(`The field "${name}" is not supported.`);
  return reader(value, name);
};
