import type { DateOrder } from '@sheaf/facts';

/** Of the languages of screens; the others write the day first. */
const ORDERS: Readonly<Record<string, DateOrder>> = {
  'en-US': 'month_first',
  ja: 'year_first',
  zh: 'year_first',
  ko: 'year_first',
  hu: 'year_first',
  lt: 'year_first',
};
/** English without a country is written in either order. */
const UNKNOWN = new Set(['auto', 'en']);

/** The order of the numbers in dates that goes with the language somebody reads the screens in; undefined where it does not tell. */
export const toDateOrder = (language: string | null): DateOrder | undefined => {
  if (language === null || UNKNOWN.has(language)) return undefined;
  return ORDERS[language] ?? ORDERS[language.split('-')[0] ?? ''] ?? 'day_first';
};
