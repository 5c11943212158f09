/** What a relative date stands for, in UTC. */
export interface RelativeSpan {
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
export const readRelative = (text: string, now: Date): RelativeSpan | undefined => {
  const name = text.toLowerCase();
  if (name === 'now') return { first: now, last: now, isMoment: true };
  const { count = '', unit = '' } = AGO.exec(name)?.groups ?? {};
  if (unit !== '') {
    const moment = before(now, Number(count), unit);
    return { first: moment, last: moment, isMoment: true };
  }
  return KEYWORDS.get(name)?.(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), (now.getUTCDay() + 6) % 7);
};
