import { stripEnd } from '@sheaf/contract';
import { MAX_QUERY_CHARACTERS } from '@sheaf/vocabulary/limits';
import { isFactName, readFact } from './fact-terms.ts';
import { readFieldTerm } from './field-terms.ts';
import { type Clause, cleanText, EMPTY_QUERY, type Query, type Term, WORD_FIELDS, type WordField } from './query.ts';

/** Choice: of a longer question the first words are taken, as a pasted paragraph is meant to find its document, not an error. */
const MAX_QUERY_TERMS = 64;

/** `-`, then a field, then a phrase (a missing end quote is the end of the text) or a word, in stars. Each part may be missing. */
const TOKEN =
  /(?<minus>-)?(?:(?<field>title|filename|content|note|label|from|type|date|asn|imported):|field\.(?:"(?<quoted>[^"]+)"|(?<name>[^\s":]+)):)?(?:(?<lead>\*)?"(?<phrase>[^"]*)(?:"(?<star>\*)?)?|(?<word>[^\s"]+))/giu;
const CURLY_QUOTES = /[“”„«»]/gu;
const LEADING_STARS = /^\*+/;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

const isWordField = (name: string): name is WordField => WORD_FIELDS.some((field) => field === name);

const toTerm = ({
  field = '',
  quoted,
  name: bare,
  lead,
  phrase,
  star,
  word = '',
}: Record<string, string | undefined>): Term | undefined => {
  const name = field.toLowerCase();
  const text = phrase ?? stripEnd(word, '*').replace(LEADING_STARS, '');
  const isOpen = star !== undefined || (phrase === undefined && word.endsWith('*'));
  // a label's name is what its owner typed, and may be of signs alone
  if (name === 'label')
    return text.trim() === '' ? undefined : { text: text.trim(), field: name, compare: isOpen ? 'contains' : 'equal', prefix: false };
  if (!LETTER_OR_DIGIT.test(text)) return undefined;
  const custom = quoted ?? bare ?? '';
  if (custom.trim() !== '') return readFieldTerm(custom, text.trim(), phrase !== undefined);
  const fact = isFactName(name) ? readFact(name, text.trim(), phrase !== undefined) : undefined;
  if (fact !== undefined) return fact;
  const inside = lead !== undefined || word.startsWith('*') ? { inside: true } : {};
  if (isFactName(name)) return { text: `${field}:${text}`, prefix: isOpen, ...inside };
  return isWordField(name) ? { text, field: name, prefix: isOpen, ...inside } : { text, prefix: isOpen, ...inside };
};

const clean = (text: string): string => cleanText(text.slice(0, MAX_QUERY_CHARACTERS)).replace(CURLY_QUOTES, '"');

/**
 * Reads what a person types: words (all must match), "phrases", -word, OR, prefix*, *inside*, title: filename: content: note: label:, and of the facts
 * of documents from: type: date: asn: imported: field.NAME:. Understands any text whatever; what makes no sense is left out, or is words where it has any. Choice: OR joins its two neighbours, so `invoice 2023 OR 2024` wants an invoice of
 * either year; AND says nothing that is not so anyway; brackets and all other signs only part words;
 * a star behind a label's name lets it go on, in front as well.
 */
export const parseQuery = (text: string): Query => {
  const must: Term[][] = [];
  const mustNot: Clause[] = [];
  let count = 0;
  // The clause which the next term joins, after an OR.
  let open: Term[] | undefined;
  let last: Term[] | undefined;
  for (const { 0: token, groups = {} } of clean(text).matchAll(TOKEN)) {
    if (count >= MAX_QUERY_TERMS) break;
    if (token === 'OR') open = last;
    if (token === 'OR' || token === 'AND') continue;
    const term = toTerm(groups);
    if (term === undefined) continue;
    count += 1;
    if (groups.minus !== undefined) mustNot.push([term]);
    else if (open === undefined) must.push((last = [term]));
    else open.push(term);
    open = undefined;
  }
  return must.length === 0 ? EMPTY_QUERY : { must, should: [], mustNot };
};
