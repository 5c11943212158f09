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

/** What a relative date stands for, in UTC. */
interface RelativeSpan {
  readonly first: Date;
  readonly last: Date;
  /** A moment; otherwise the whole of the days from `first` to `last`. */
  readonly isMoment: boolean;
}

const day = (year: number, month: number, date: number): Date => new Date(Date.UTC(year, month, date));
const days = (first: Date, last: Date): RelativeSpan => ({ first, last, isMoment: false });

type Keyword = (year: number, month: number, date: number, weekday: number) => RelativeSpan;

const quarterOf = (month: number): number => month - (month % 3);

/** Weeks begin on Monday, as in ISO 8601. */
const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['today', (y, m, d) => days(day(y, m, d), day(y, m, d))],
  ['yesterday', (y, m, d) => days(day(y, m, d - 1), day(y, m, d - 1))],
  ['this-week', (y, m, d, weekday) => days(day(y, m, d - weekday), day(y, m, d - weekday + 6))],
  ['previous-week', (y, m, d, weekday) => days(day(y, m, d - weekday - 7), day(y, m, d - weekday - 1))],
  ['this-month', (y, m) => days(day(y, m, 1), day(y, m + 1, 0))],
  ['previous-month', (y, m) => days(day(y, m - 1, 1), day(y, m, 0))],
  ['this-quarter', (y, m) => days(day(y, quarterOf(m), 1), day(y, quarterOf(m) + 3, 0))],
  ['previous-quarter', (y, m) => days(day(y, quarterOf(m) - 3, 1), day(y, quarterOf(m), 0))],
  ['this-year', (y) => days(day(y, 0, 1), day(y, 11, 31))],
  ['previous-year', (y) => days(day(y - 1, 0, 1), day(y - 1, 11, 31))],
]);

/** The names of the days that stand for others each day. */
export const RELATIVE_DATES: readonly string[] = [...KEYWORDS.keys()];

const AGO = /^-(?<count>\d{1,4})(?<unit>[dwmy])$/;

/** So many months before; the last day of the month where that has fewer days. */
const monthsBefore = (now: Date, months: number): Date => {
  const before = new Date(now);
  before.setUTCDate(1);
  before.setUTCMonth(now.getUTCMonth() - months);
  const lastDate = day(before.getUTCFullYear(), before.getUTCMonth() + 1, 0).getUTCDate();
  before.setUTCDate(Math.min(now.getUTCDate(), lastDate));
  return before;
};

const EARLIEST = Date.UTC(1000, 0, 1);

const before = (now: Date, count: number, unit: string): Date => {
  const date =
    unit === 'd' || unit === 'w'
      ? new Date(now.getTime() - count * (unit === 'w' ? 7 : 1) * 86_400_000)
      : monthsBefore(now, count * (unit === 'y' ? 12 : 1));
  return new Date(Math.max(EARLIEST, date.getTime()));
};

/**
 * `now`; `-7d`, `-2w`, `-3m`, `-1y` before it; `today`, `yesterday`, and `this-` or `previous-` with `week`, `month`, `quarter`, `year`. Undefined
 * for all else.
 */
const readRelative = (text: string, now: Date): RelativeSpan | undefined => {
  const name = text.toLowerCase();
  if (name === 'now') return { first: now, last: now, isMoment: true };
  const { count = '', unit = '' } = AGO.exec(name)?.groups ?? {};
  if (unit !== '') {
    const moment = before(now, Number(count), unit);
    return { first: moment, last: moment, isMoment: true };
  }
  return KEYWORDS.get(name)?.(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), (now.getUTCDay() + 6) % 7);
};
