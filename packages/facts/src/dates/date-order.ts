import type { DateMention, DateOrder } from './date-mention.ts';

export interface OrderHints {
  /** Of the sender's earlier documents. */
  readonly ofSender?: DateOrder | undefined;
  /** Set by the people who use the service. */
  readonly preferred?: DateOrder | undefined;
  /** ISO 639-1 */
  readonly languages: readonly string[];
}

export interface ChosenOrder {
  readonly order: DateOrder;
  /** How much an ambiguous date can be relied on with it, 0 to 1. */
  readonly certainty: number;
}

const CERTAINTY = { page: 0.98, sender: 0.95, preferred: 0.9, language: 0.88, english: 0.75 };
/** They write 2024-05-03, and the year first of three pairs of digits too. */
const YEAR_FIRST = new Set(['ja', 'zh', 'ko', 'hu', 'lt']);

/**
 * The order to take ambiguous dates in: that of the other dates of the document, of the sender's earlier ones, the preferred one, or
 * the usual one of the language. English is taken as day first: for documents from the United States the preferred order
 * has to say so.
 */
export const chooseOrder = (mentions: readonly DateMention[], { ofSender, preferred, languages }: OrderHints): ChosenOrder => {
  const written = orderOnPage(mentions);
  if (written !== undefined) return { order: written, certainty: CERTAINTY.page };
  if (ofSender !== undefined) return { order: ofSender, certainty: CERTAINTY.sender };
  if (preferred !== undefined) return { order: preferred, certainty: CERTAINTY.preferred };
  const [language = 'en'] = languages;
  return { order: YEAR_FIRST.has(language) ? 'year_first' : 'day_first', certainty: CERTAINTY[language === 'en' ? 'english' : 'language'] };
};

/** What the dates with only one meaning have in common; undefined without any, or where they disagree. */
const orderOnPage = (mentions: readonly DateMention[]): DateOrder | undefined => {
  const counts = { day_first: 0, month_first: 0 };
  for (const { form, readings } of mentions) {
    const orders = new Set(readings.map(({ order }) => order).filter((order) => order !== 'year_first'));
    const [order] = orders;
    if (form === 'numeric' && orders.size === 1 && order !== undefined) counts[order] += 1;
  }
  if (counts.day_first === counts.month_first) return undefined;
  return counts.day_first > counts.month_first ? 'day_first' : 'month_first';
};
