import { isDeepStrictEqual } from 'node:util';
import { MAX_QUERY_CHARACTERS } from '@sheaf/vocabulary/limits';
import { parseQuery, queryOf, type SignedTerm } from '../parse-query.ts';
import { cleanText, type FactName, isCondition, type Query, readFact, type Term, type WordField } from '../query.ts';
import { RELATIVE_DATES } from '../ranges.ts';
import { isFieldTerm, readFieldTerm, writeQuery } from '../write-query.ts';
import { NotUnderstood, type RangeText, readTokens, type Token } from './tokens.ts';

type Expression =
  | { readonly kind: 'term'; readonly term: Term }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Expression[] }
  | { readonly kind: 'not'; readonly of: Expression };

const MAX_DEPTH = 20;
/** Of the query once it is a conjunction of alternatives, which repeats what stands in nested parentheses. */
const MAX_TERMS = 64;

const all = (of: readonly Expression[]): Expression => ({ kind: 'and', of });

/** That every document has been added. */
const everything = (): Term => {
  const term = readFact('added', '1970..', true);
  if (term === undefined) throw new Error('an open range is a range');
  return term;
};

/** `custom_fields.name:N custom_fields.value:V` is a value V of the field N. */
const joinFields = (of: readonly Expression[]): Expression[] => {
  const joined: Expression[] = [];
  for (const next of of) {
    const before = joined.at(-1);
    const [name, value] = [before, next].map((each) =>
      each?.kind === 'term' && isCondition(each.term) && isFieldTerm(each.term) ? each.term : undefined,
    );
    const isPair = name?.compare === 'given' && value?.field === 'field.*';
    if (isPair) joined.pop();
    joined.push(isPair ? { kind: 'term', term: { ...value, field: name.field } } : next);
  }
  return joined;
};

const fromTerms = (found: Terms | undefined): Expression =>
  found === undefined ? all([]) : { kind: found.how, of: found.terms.map((term) => ({ kind: 'term', term })) };

/** A single part by itself, so that it can be joined with its neighbour. */
const group = (kind: 'and' | 'or', of: readonly Expression[]): Expression => {
  const [only, ...others] = of;
  return only !== undefined && others.length === 0 ? only : { kind, of: kind === 'and' ? joinFields(of) : of };
};

/**
 * Recursive descent. NOT binds most tightly, then AND, then OR; what stands side by side must all hold, as in Whoosh: `a b OR c` is `a` and one of
 * the others.
 */
class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Expression {
    const whole = this.#sequence(undefined, 0);
    if (this.#peek() !== undefined) throw new NotUnderstood('A closing parenthesis has no opening one.');
    return whole;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  #take(kind: Token['kind']): boolean {
    if (this.#peek()?.kind !== kind) return false;
    this.#at += 1;
    return true;
  }

  #sequence(field: string | undefined, depth: number): Expression {
    if (depth > MAX_DEPTH) throw new NotUnderstood(`Parentheses are nested deeper than ${MAX_DEPTH}.`);
    const parts: Expression[] = [];
    for (let next = this.#peek(); next !== undefined && next.kind !== 'close'; next = this.#peek()) parts.push(this.#either(field, depth));
    return group('and', parts);
  }

  #either(field: string | undefined, depth: number): Expression {
    const parts = [this.#both(field, depth)];
    while (this.#take('or')) parts.push(this.#both(field, depth));
    return group('or', parts);
  }

  #both(field: string | undefined, depth: number): Expression {
    const parts = [this.#signed(field, depth)];
    for (;;) {
      if (this.#take('and')) parts.push(this.#signed(field, depth));
      else if (this.#take('and-not')) parts.push({ kind: 'not', of: this.#signed(field, depth) });
      else return group('and', parts);
    }
  }

  #signed(field: string | undefined, depth: number): Expression {
    let isNegated = false;
    while (this.#take('not')) isNegated = !isNegated;
    const operand = this.#operand(field, depth);
    return isNegated ? { kind: 'not', of: operand } : operand;
  }

  #operand(field: string | undefined, depth: number): Expression {
    const token = this.#peek();
    if (token === undefined)
      throw new NotUnderstood(field === undefined ? 'An operator at the end has nothing to its right.' : `${field}: needs a value.`);
    this.#at += 1;
    switch (token.kind) {
      case 'open': {
        const inner = this.#sequence(field, depth + 1);
        if (!this.#take('close')) throw new NotUnderstood('An opening parenthesis has no closing one.');
        return inner;
      }
      case 'field':
        return this.#operand(token.name, depth + 1);
      case 'word':
      case 'phrase':
      case 'range':
        if (field === undefined && token.text === '*') return { kind: 'term', term: everything() };
        return fromSingle(fromTerms(field === undefined ? wordsTerm(token) : fieldTerms(field, token)));
      default:
        throw new NotUnderstood(`"${token.text}" has nothing to its left.`);
    }
  }
}

const fromSingle = (expression: Expression): Expression => {
  if (expression.kind === 'term' || expression.kind === 'not') return expression;
  const [only, ...others] = expression.of;
  return only !== undefined && others.length === 0 ? only : expression;
};

type Clauses = readonly (readonly SignedTerm[])[];

const requireFew = (clauses: Clauses): Clauses => {
  if (clauses.reduce((sum, clause) => sum + clause.length, 0) > MAX_TERMS) throw new NotUnderstood('The query has too many parts.');
  return clauses;
};

/** All clauses of one with all of the other: what "either" is for two conjunctions. */
const crossed = (one: Clauses, other: Clauses): Clauses => requireFew(one.flatMap((a) => other.map((b) => [...a, ...b])));

/** The conjunction of alternatives that an expression is. */
const toClauses = (expression: Expression, isNegated: boolean): Clauses => {
  if (expression.kind === 'not') return toClauses(expression.of, !isNegated);
  if (expression.kind === 'term')
    return [[{ term: withoutSign(expression.term), isNegated: isNegated !== (expression.term.negated === true) }]];
  const parts = expression.of.filter((part) => !isEmpty(part)).map((part) => toClauses(part, isNegated));
  const isConjunction = (expression.kind === 'and') !== isNegated;
  return isConjunction ? requireFew(parts.flat()) : parts.reduce(crossed, [[]]);
};

const withoutSign = (term: Term): Term => {
  if (term.negated === undefined) return term;
  const { negated: _negated, ...plain } = term;
  return plain;
};

/** Nothing but signs, which say nothing. */
const isEmpty = (expression: Expression): boolean =>
  expression.kind === 'not' ? isEmpty(expression.of) : expression.kind !== 'term' && expression.of.every(isEmpty);

/** The query, or why it is none. */
export type PaperlessQuery = { readonly query: Query } | { readonly problem: string };

/**
 * Reads the query syntax of Paperless-ngx (that of Whoosh, with dates relative to today) as a query of ours. What is not understood is a problem
 * instead of words. Typed dates stay relative, so that a query can be kept.
 */
export const readPaperlessQuery = (text: string): PaperlessQuery => {
  if (text.length > MAX_QUERY_CHARACTERS) return { problem: `The query has more than ${MAX_QUERY_CHARACTERS} characters.` };
  try {
    const expression = new Parser(readTokens(cleanText(text))).parse();
    if (isEmpty(expression)) throw new NotUnderstood('The query has nothing to search for.');
    const query = queryOf(toClauses(expression, false));
    return { query: query.must.length === 0 ? { ...query, must: [[everything()]] } : query };
  } catch (error) {
    if (error instanceof NotUnderstood) return { problem: error.message };
    throw error;
  }
};

/** The query in our own syntax, to be kept; undefined where it is not read as it is meant, or is too long. */
export const writePaperlessQuery = (query: Query): string | undefined => {
  const text = writeQuery(query);
  return text.length <= MAX_QUERY_CHARACTERS && isDeepStrictEqual(parseQuery(text), query) ? text : undefined;
};

/** Whether a query in our own syntax means the same in that of Paperless-ngx. */
export const isPaperlessQuery = (text: string): boolean => {
  if (text.trim() === '') return true;
  const read = readPaperlessQuery(text);
  return 'query' in read && isDeepStrictEqual(read.query, parseQuery(text));
};

const COMPACT = /^(\d{4})(\d{2})(\d{2})?$/;
const AGO = /^(?:now)?\s*-\s*(\d{1,4})\s*(d|days?|w|wks?|weeks?|m|mo|months?|y|yrs?|years?)$/;
const SINCE = /^(\d{1,4})\s*(days?|weeks?|months?|years?)\s+ago$/;

/** One date as our own syntax has it: `20240131` is `2024-01-31`, `-1 week` is `-1w`, `previous month` is `previous-month`. */
const toDate = (text: string): string => {
  const plain = text.trim().toLowerCase();
  const [, year, month, day] = COMPACT.exec(plain) ?? [];
  if (year !== undefined) return [year, month, day].filter((part) => part !== undefined).join('-');
  const [, count, unit] = AGO.exec(plain) ?? SINCE.exec(plain) ?? [];
  if (count !== undefined) return `-${count}${unit?.[0] ?? ''}`;
  const name = plain.replaceAll(/\s+/g, '-');
  return RELATIVE_DATES.includes(name) ? name : plain;
};

const COMPARED = /^(?<sign>>=|<=|>|<)(?<value>.*)$/;

/** What stands behind a date field, in our own syntax. */
const toDates = (text: string): string => {
  const { sign = '', value = text } = COMPARED.exec(text.trim())?.groups ?? {};
  return `${sign}${toDate(value)}`;
};

/** The ranges of our own syntax that together are the range; one where both of its bounds belong to it. */
const toRanges = (range: RangeText, whole: string, toValue: (text: string) => string = toDate): readonly string[] => {
  const [from, to] = [range.from, range.to].map((text) => (text === '' ? '' : toValue(text)));
  if (from === '' && to === '') throw new NotUnderstood(`"${whole}" has no bound.`);
  if (!range.isFromExcluded && !range.isToExcluded) return [`${from}..${to}`];
  const below = range.isToExcluded ? '<' : '<=';
  const above = range.isFromExcluded ? '>' : '>=';
  return [...(from === '' ? [] : [`${above}${from}`]), ...(to === '' ? [] : [`${below}${to}`])];
};

/** A word, a phrase or a range: what a field can be asked for. */
type Value = Extract<Token, { readonly kind: 'word' | 'phrase' | 'range' }>;

/** Holds when all of them do, or any of them. */
interface Terms {
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
const wordsTerm = (value: Value, field?: WordField): Terms | undefined => {
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
const fieldTerms = (name: string, value: Value): Terms | undefined => {
  if (name.startsWith(OWN_FIELD)) return ownField(name.slice(OWN_FIELD.length), value);
  const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (reader === undefined) throw new NotUnderstood(`The field "${name}" is not supported.`);
  return reader(value, name);
};
