import { MAX_QUERY_CHARACTERS } from '@sheaf/contract';
import { type Clause, EMPTY_QUERY, QUERY_FIELDS, type Query, type QueryField, type Term } from './query.ts';

/** Choice: of a longer question the first words are taken, as a pasted paragraph is meant to find its document, not an error. */
const MAX_QUERY_TERMS = 64;

/** `-`, then a field, then a phrase (a missing end quote is the end of the text) or a word. Each part may be missing. */
const TOKEN = /(?<minus>-)?(?:(?<field>title|filename|label):)?(?:"(?<phrase>[^"]*)"?|(?<word>[^\s"]+))/giu;
const CURLY_QUOTES = /[“”„«»]/gu;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

const isField = (name: string): name is QueryField => QUERY_FIELDS.some((field) => field === name);

const toTerm = ({ field = '', phrase, word = '' }: Record<string, string | undefined>): Term | undefined => {
  const name = field.toLowerCase();
  const text = phrase ?? word.replace(/\*+$/u, '');
  if (!LETTER_OR_DIGIT.test(text)) return undefined;
  const prefix = phrase === undefined && word.endsWith('*');
  return isField(name) ? { text, field: name, prefix } : { text, prefix };
};

/** Text as people and machines send it, made safe to give to PostgreSQL. */
const clean = (text: string): string => text.slice(0, MAX_QUERY_CHARACTERS).replaceAll('\0', ' ').toWellFormed().replace(CURLY_QUOTES, '"');

/**
 * Reads what a person types: words (all must match), "phrases", -word, OR, prefix*, title: filename: label:. Understands any text
 * whatever; what makes no sense is left out. Choice: OR joins its two neighbours, so `invoice 2023 OR 2024` wants an invoice of
 * either year; AND says nothing that is not so anyway; brackets and all other signs only part words.
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
