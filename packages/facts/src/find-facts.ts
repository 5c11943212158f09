import { FACT_KINDS } from '@sheaf/vocabulary/facts';
import { findMoneyFacts } from './amounts/money-facts.ts';
import { type DateHints, findDateFacts, findFileNameDates } from './dates/date-facts.ts';
import type { DateOrder } from './dates/word-dates.ts';
import { type Fact, rankFacts } from './fact.ts';
import { findIbanFacts, findReferenceFacts, findVatIdFacts } from './number-facts.ts';
import { type Correspondent, type CorrespondentIndex, indexCorrespondents } from './sender/correspondents.ts';
import { findSenderFacts } from './sender/sender-facts.ts';
import { type FactPage, type Line, linesOf } from './text/page-lines.ts';

/** ISO 639-3, as OCR engines name languages, to ISO 639-1. */
const SHORT: Readonly<Record<string, string>> = {
  eng: 'en',
  deu: 'de',
  fra: 'fr',
  spa: 'es',
  ita: 'it',
  nld: 'nl',
  por: 'pt',
  pol: 'pl',
  ces: 'cs',
  slk: 'sk',
  hrv: 'hr',
  tur: 'tr',
  lav: 'lv',
  ukr: 'uk',
};

/** Codes of two letters; others stay as they are. */
const toShortLanguages = (languages: readonly string[]): string[] => languages.map((language) => SHORT[language] ?? language);

export interface FactDocument {
  /** In their order; of more than 24 the first 20 and the last 4 count. */
  readonly pages: readonly FactPage[];
  /** ISO 639-1 or 639-3, the likeliest first; empty where unknown. */
  readonly languages: readonly string[];
  /** Where its date counts: before those of the text, in the order of numbers given. */
  readonly fileName?: { readonly name: string; readonly dateOrder: DateOrder } | undefined;
}

export interface FactContext {
  /** The clock: no date more than a year later is one of a document. */
  readonly now: Date;
  /** Of `indexCorrespondents`. */
  readonly correspondents?: CorrespondentIndex | undefined;
  /** For ambiguous dates of senders without earlier documents, where other dates of the document do not tell. */
  readonly preferredDateOrder?: DateOrder | undefined;
  /** YYYY-MM-DD; never a date of a document. */
  readonly ignoredDates?: readonly string[] | undefined;
}

export interface FoundFacts {
  /** The best of each kind, as far as there is one. */
  readonly facts: readonly Fact[];
  /** All of them to choose from, the best first, at most ten of each kind. */
  readonly candidates: readonly Fact[];
}

const MAX_PAGES = { first: 20, last: 4 };
const MAX_CANDIDATES = 10;
/** A sender that is less sure says nothing about the order of dates. */
const MIN_SENDER_CONFIDENCE = 0.7;
const NOBODY = indexCorrespondents([]);

/**
 * What a document states: dates, amounts, numbers and its sender, each with its place, a confidence from 0 to 1 and the rule that
 * found it. Never throws; time and memory are in proportion to the text, and pages, words and candidates have limits.
 */
export const findFacts = (document: FactDocument, context: FactContext): FoundFacts => {
  const pages = chosenPages(document.pages).map(linesOf);
  const languages = toShortLanguages(document.languages);
  const correspondents = context.correspondents ?? NOBODY;
  const lines = pages.flat();
  const numbers = [...findIbanFacts(lines), ...findVatIdFacts(lines)];
  const senders = rankFacts(findSenderFacts(pages, correspondents, numbers), MAX_CANDIDATES);
  const hints = dateHints(languages, context, correspondentOf(senders[0], correspondents));
  const byPage = new Map(pages.map((page): [number, readonly Line[]] => [page[0]?.page ?? 0, page]));
  const candidates = rankFacts(
    [
      ...(document.fileName === undefined ? [] : findFileNameDates(document.fileName.name, document.fileName.dateOrder, hints)),
      ...findDateFacts(pages, hints),
      ...findMoneyFacts(pages, languages),
      ...numbers,
      ...findReferenceFacts(lines, byPage, new Set(numbers.map(({ value }) => value))),
      ...senders,
    ],
    MAX_CANDIDATES,
  );
  return { facts: FACT_KINDS.flatMap((kind) => candidates.find((fact) => fact.kind === kind) ?? []), candidates };
};

const chosenPages = (pages: readonly FactPage[]): readonly FactPage[] =>
  pages.length <= MAX_PAGES.first + MAX_PAGES.last ? pages : [...pages.slice(0, MAX_PAGES.first), ...pages.slice(-MAX_PAGES.last)];

const correspondentOf = (sender: Fact | undefined, { byId }: CorrespondentIndex): Correspondent | undefined =>
  sender?.correspondentId === undefined || sender.confidence < MIN_SENDER_CONFIDENCE ? undefined : byId.get(sender.correspondentId);

const dateHints = (languages: readonly string[], context: FactContext, sender: Correspondent | undefined): DateHints => ({
  now: context.now,
  languages,
  preferred: context.preferredDateOrder,
  ofSender: sender?.dateOrder,
  ignored: new Set(context.ignoredDates ?? []),
});
