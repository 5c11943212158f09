import { stripEnd } from '@sheaf/contract';
import type { SearchWarning } from '@sheaf/contract/search';
import { MAX_QUERY_CHARACTERS } from '@sheaf/vocabulary/limits';
import {
  type Clause,
  cleanText,
  EMPTY_QUERY,
  FACT_NAMES,
  isFactName,
  type Query,
  readFact,
  type Term,
  WORD_FIELDS,
  type WordField,
} from './query.ts';
import { ANY, readFieldTerm } from './write-query.ts';

/** Choice: of a longer question the first words are taken, as a pasted paragraph is meant to find its document, not an error. */
const MAX_QUERY_TERMS = 64;

/** `-`, then a field, then a phrase (a missing end quote is the end of the text) or a word, in stars. Each part may be missing. */
const TOKEN = new RegExp(
  String.raw`(?<minus>-)?(?:(?<field>title|filename|content|notes?|label|tag|correspondent|${FACT_NAMES.join('|')}):|field\.(?:"(?<quoted>[^"]+)"|(?<name>[^\s":]+)):)?(?:(?<lead>\*)?"(?<phrase>[^"]*)(?:"(?<star>\*)?)?|(?<word>[^\s"]+))`,
  'giu',
);
/** A name of letters in front of a colon that no address, path or time follows. */
const OTHER_FIELD = /^\p{L}[\p{L}\p{N}_.-]{0,49}:(?:[^/:\\].*)?$/u;
const CURLY_QUOTES = /[“”„«»]/gu;
const LEADING_STARS = /^\*+/;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Names that other programs have for fields. */
const ALIASES: Readonly<Record<string, string>> = { tag: 'label', correspondent: 'from', notes: 'note' };

const isWordField = (name: string): name is WordField => WORD_FIELDS.some((field) => field === name);

type Groups = Readonly<Record<string, string | undefined>>;

const fieldOf = ({ field = '' }: Groups): string => ALIASES[field.toLowerCase()] ?? field.toLowerCase();

const readTerm = (groups: Groups): Term | undefined => {
  const { field = '', quoted, name: bare, lead, phrase, star, word = '' } = groups;
  const name = fieldOf(groups);
  const text = phrase ?? stripEnd(word, '*').replace(LEADING_STARS, '');
  const isOpen = star !== undefined || (phrase === undefined && word.endsWith('*'));
  // a label's name is what its owner typed, and may be of signs alone
  if (name === 'label')
    return text.trim() === '' ? undefined : { text: text.trim(), field: name, compare: isOpen ? 'contains' : 'equal', prefix: false };
  const custom = quoted ?? bare ?? '';
  if (custom.trim() !== '' && word === ANY) return readFieldTerm(custom, ANY, false);
  if (!LETTER_OR_DIGIT.test(text)) return undefined;
  if (custom.trim() !== '') return readFieldTerm(custom, text.trim(), phrase !== undefined);
  const fact = isFactName(name) ? readFact(name, text.trim(), phrase !== undefined) : undefined;
  if (fact !== undefined) return fact;
  const inside = lead !== undefined || word.startsWith('*') ? { inside: true } : {};
  if (isFactName(name)) return { text: `${field}:${text}`, prefix: isOpen, ...inside };
  return isWordField(name) ? { text, field: name, prefix: isOpen, ...inside } : { text, prefix: isOpen, ...inside };
};

const clean = (text: string): string => cleanText(text.slice(0, MAX_QUERY_CHARACTERS)).replace(CURLY_QUOTES, '"');

/** What of a token was not read as it may have been meant. `follows` is what stands behind it. */
const warnOf = (warnings: WarningList, token: string, groups: Groups, term: Term | undefined, follows: string): void => {
  if (isFactName(fieldOf(groups)) && term?.compare === undefined) warnings.add('invalid_value', token);
  const { field, word = '' } = groups;
  const isOther = field === undefined && OTHER_FIELD.test(word) && (!word.endsWith(':') || follows.startsWith('"'));
  if (isOther) warnings.add('unknown_field', token);
};

/** What a person typed as a query, and what of it was not understood. */
export interface TypedQuery {
  readonly query: Query;
  readonly warnings: readonly QueryWarning[];
}

/** A term, or that it does not hold. */
export interface SignedTerm {
  readonly term: Term;
  readonly isNegated: boolean;
}

/** All of `clauses`, each of which holds when any of its terms does as its sign says. A negated term alone in its clause is an exclusion. */
export const queryOf = (clauses: readonly (readonly SignedTerm[])[]): Query => {
  const isExclusion = ([first, ...others]: readonly SignedTerm[]): boolean => first?.isNegated === true && others.length === 0;
  const toClause = (clause: readonly SignedTerm[]): Clause =>
    clause.map(({ term, isNegated }): Term => (isNegated ? { ...term, negated: true } : term));
  return {
    must: clauses.filter((clause) => !isExclusion(clause)).map(toClause),
    should: [],
    mustNot: clauses.filter(isExclusion).map((clause) => clause.map(({ term }) => term)),
  };
};

/**
 * Reads what a person types: words (all must match), "phrases", -word, OR, prefix*, *inside*, title: filename: content: note: label:, and of the facts
 * of documents from: type: date: created: added: modified: asn: owner: imported: field.NAME:. Understands any text whatever; what makes no sense is left out, or is
 * words where it has any, and is named in the warnings. Choice: OR joins its two neighbours, so `invoice 2023 OR 2024` wants an invoice of
 * either year; AND says nothing that is not so anyway; brackets and all other signs only part words;
 * a star behind a label's name lets it go on, in front as well.
 */
export const readQuery = (text: string): TypedQuery => {
  const clauses: SignedTerm[][] = [];
  const warnings = new WarningList();
  const typed = clean(text);
  let count = 0;
  // The clause which the next term joins, after an OR.
  let open: SignedTerm[] | undefined;
  for (const { 0: token, index, groups = {} } of typed.matchAll(TOKEN)) {
    if (token === 'OR') open = clauses.at(-1);
    if (token === 'OR' || token === 'AND') continue;
    const term = readTerm(groups);
    if (count >= MAX_QUERY_TERMS) {
      warnings.add('too_many_words', token);
      break;
    }
    warnOf(warnings, token, groups, term, typed.slice(index + token.length, index + token.length + 1));
    if (term === undefined) continue;
    count += 1;
    const signed = { term, isNegated: groups['minus'] !== undefined };
    if (open === undefined) clauses.push([signed]);
    else open.push(signed);
    open = undefined;
  }
  const query = queryOf(clauses);
  if (clauses.length > 0 && query.must.length === 0) warnings.add('only_exclusions', text);
  if (clauses.length === 0 && text.trim() !== '') warnings.add('no_words', text);
  return { query: query.must.length === 0 ? EMPTY_QUERY : query, warnings: warnings.all };
};

/** The same without the warnings. */
export const parseQuery = (text: string): Query => readQuery(text).query;

export type QueryWarning = SearchWarning;

const MAX_WARNINGS = 10;
const MAX_PART_CHARACTERS = 100;

const MESSAGES = {
  unknown_field: (part) => `No field of that name can be searched. The words of "${part}" were searched.`,
  invalid_value: (part) => `"${part}" is not a value that this field has. Its words were searched.`,
  unknown_custom_field: (part) => `No custom field called "${part}" can be searched.`,
  only_exclusions: () => 'The query only excludes documents. Add a word that they must have.',
  no_words: (part) => `"${part}" has no letters or digits to search for.`,
  too_many_words: (part) => `The query has too many words. "${part}" and what follows were not searched.`,
} as const satisfies Record<QueryWarning['code'], (part: string) => string>;

/** Warnings about one query, each once. */
export class WarningList {
  readonly #warnings = new Map<string, QueryWarning>();

  add(code: QueryWarning['code'], about: string): void {
    const part = Array.from(about.trim()).slice(0, MAX_PART_CHARACTERS).join('');
    const key = `${code} ${part}`;
    if (this.#warnings.size < MAX_WARNINGS && !this.#warnings.has(key))
      this.#warnings.set(key, { code, message: MESSAGES[code](part), part });
  }

  get all(): readonly QueryWarning[] {
    return [...this.#warnings.values()];
  }
}
