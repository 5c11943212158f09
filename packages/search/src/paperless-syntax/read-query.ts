import { isDeepStrictEqual } from 'node:util';
import { MAX_QUERY_CHARACTERS } from '@sheaf/vocabulary/limits';
import { readFact } from '../fact-terms.ts';
import { isFieldTerm } from '../field-terms.ts';
import { parseQuery, queryOf, type SignedTerm } from '../parse-query.ts';
import { cleanText, isCondition, type Query, type Term } from '../query.ts';
import { writeQuery } from '../write-query.ts';
import { fieldTerms, type Terms, wordsTerm } from './terms.ts';
import { NotUnderstood, readTokens, type Token } from './tokens.ts';

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
