import { type RelativeSpan, readRelative } from './relative-dates.ts';

/** What one value of a range stands for: a year is all its days. */
interface Span<T> {
  readonly first: T;
  readonly last: T;
}

/** A bound is missing where the range is open. */
export interface Range<T> {
  readonly from?: T;
  readonly to?: T;
  readonly above?: T;
  readonly below?: T;
}

type ReadSpan<T> = (text: string) => Span<T> | undefined;

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 'yyyy-mm-dd'.length);
/** The last moment of a day as PostgreSQL counts them. */
const END_OF_DAY = 'T23:59:59.999999Z';

const BETWEEN = '..';

/** `a..b`, `a..` or `..b`. */
const readBetween = <T extends number | string>(text: string, at: number, readSpan: ReadSpan<T>): Range<T> | undefined => {
  const [from, to] = [text.slice(0, at), text.slice(at + BETWEEN.length)];
  const first = readSpan(from)?.first;
  const last = readSpan(to)?.last;
  if (first === undefined ? from !== '' : last !== undefined && last < first) return undefined;
  if (last === undefined && (to !== '' || first === undefined)) return undefined;
  return { ...(first === undefined ? {} : { from: first }), ...(last === undefined ? {} : { to: last }) };
};

const readRange = <T extends number | string>(text: string, readSpan: ReadSpan<T>): Range<T> | undefined => {
  const at = text.indexOf(BETWEEN);
  if (at >= 0) return readBetween(text, at, readSpan);
  const sign = ['>=', '<=', '>', '<'].find((one) => text.startsWith(one)) ?? '';
  const span = readSpan(text.slice(sign.length));
  if (span === undefined) return undefined;
  switch (sign) {
    case '>=':
      return { from: span.first };
    case '<=':
      return { to: span.last };
    case '>':
      return { above: span.last };
    case '<':
      return { below: span.first };
    default:
      return { from: span.first, to: span.last };
  }
};

const YEAR_MONTH_DAY = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;
/** As for the day of a document, see `documentDay` of the contract. */
const FIRST_YEAR = 1_000;

const readCalendar = (text: string): Span<string> | undefined => {
  const [, year = '', month, day] = YEAR_MONTH_DAY.exec(text) ?? [];
  if (Number(year) < FIRST_YEAR) return undefined;
  const last = new Date(Date.UTC(Number(year), Number(month ?? '12') - (day === undefined ? 0 : 1), day === undefined ? 0 : Number(day)));
  const lastDay = dayOf(last);
  // a month or a day that does not exist is another one
  return lastDay.startsWith(text) ? { first: `${year}-${month ?? '01'}-${day ?? '01'}`, last: lastDay } : undefined;
};

const daysOf = ({ first, last }: RelativeSpan): Span<string> => ({ first: dayOf(first), last: dayOf(last) });

const readDays =
  (now: Date): ReadSpan<string> =>
  (text) => {
    const relative = readRelative(text, now);
    return relative === undefined ? readCalendar(text) : daysOf(relative);
  };

const readMoments =
  (now: Date): ReadSpan<string> =>
  (text) => {
    const relative = readRelative(text, now);
    if (relative?.isMoment === true) return { first: relative.first.toISOString(), last: relative.last.toISOString() };
    const days = relative === undefined ? readCalendar(text) : daysOf(relative);
    return days && { first: `${days.first}T00:00:00Z`, last: `${days.last}${END_OF_DAY}` };
  };

const WHOLE_NUMBER = /^\d{1,10}$/;
const MAX_INTEGER = 2_147_483_647;

const readNumber = (text: string): Span<number> | undefined => {
  const number = WHOLE_NUMBER.test(text) ? Number(text) : 0;
  return number < 1 || number > MAX_INTEGER ? undefined : { first: number, last: number };
};

/**
 * `2024`, `2024-03`, `2024-03-05` or what relative-dates.ts reads, ranges of them with `..`, and `>`, `>=`, `<`, `<=` before one. Undefined for
 * all else.
 */
export const readDayRange = (text: string, now = new Date()): Range<string> | undefined => readRange(text, readDays(now));

/** The same as times: `now` and what is reckoned from it are moments, anything else whole days in UTC. */
export const readMomentRange = (text: string, now = new Date()): Range<string> | undefined => readRange(text, readMoments(now));

/** The same of whole numbers from 1 on. */
export const readNumberRange = (text: string): Range<number> | undefined => readRange(text, readNumber);

const DECIMAL = /^-?\d{1,15}(?:\.\d{1,6}|,\d{1,2})?$/;

const readDecimal = (text: string): Span<number> | undefined => {
  const number = DECIMAL.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
  return Number.isNaN(number) ? undefined : { first: number, last: number };
};

/** The same of numbers with decimals, as custom fields have them; a comma before one or two digits is a decimal sign. */
export const readDecimalRange = (text: string): Range<number> | undefined => readRange(text, readDecimal);
