export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const MIN_YEAR = 1900;
/** Documents of the next year are announced in this one; later dates are ends of contracts and cards. */
const MAX_YEARS_AHEAD = 1;

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

/** YYYY-MM-DD, which also sorts by time. */
export const toIso = ({ year, month, day }: CalendarDate): string => `${pad(year, 4)}-${pad(month)}-${pad(day)}`;

/** The last day that a date of a document may be: a year after `now`, in UTC. */
export const lastPossibleDay = (now: Date): string =>
  toIso({ year: now.getUTCFullYear() + MAX_YEARS_AHEAD, month: now.getUTCMonth() + 1, day: now.getUTCDate() });

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

/** Whether the day exists, and not before 1900. */
export const isCalendarDate = ({ year, month, day }: CalendarDate): boolean =>
  year >= MIN_YEAR && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);

/** A year of four digits from one of two: the last that is not later than next year. */
export const fullYear = (digits: string, now: Date): number => {
  const year = Number(digits);
  if (digits.length !== 2) return year;
  const century = Math.floor(now.getUTCFullYear() / 100) * 100;
  return century + year > now.getUTCFullYear() + MAX_YEARS_AHEAD ? century - 100 + year : century + year;
};
