import { z } from 'zod';
import { rule } from './issue.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** PostgreSQL has no year 0, and JavaScript writes the year 10000 in a way of its own. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-01T00:00:00Z');
const MAX_CHARACTERS = 40;

/** What a text names: the whole of a day, month, week or year, or one millisecond. */
interface Span {
  readonly from: number;
  readonly before: number;
}

/** The date of ISO 8601 in its extended and basic forms: calendar, week and ordinal dates, and those that leave days out. */
const DATES = [
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})$/,
  /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/,
  /^(?<year>\d{4})-(?<ordinal>\d{3})$/,
  /^(?<year>\d{4})(?<ordinal>\d{3})$/,
  /^(?<year>\d{4})-W(?<week>\d{2})(?:-(?<weekday>[1-7]))?$/,
  /^(?<year>\d{4})W(?<week>\d{2})(?<weekday>[1-7])?$/,
  /^(?<year>\d{4})-(?<month>\d{2})$/,
  /^(?<year>\d{4})$/,
];
/** Hours, minutes and seconds, of which the last ones may be missing, and the zone. */
const TIMES = [
  /^(?<hour>\d{2})(?::(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?)?(?<zone>Z|[+-]\d{2}(?::?\d{2})?)?$/,
  /^(?<hour>\d{2})(?:(?<minute>\d{2})(?:(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?)?(?<zone>Z|[+-]\d{2}(?::?\d{2})?)?$/,
];

type Groups = Readonly<Record<string, string | undefined>>;

const groupsOf = (patterns: readonly RegExp[], text: string): Groups | undefined =>
  patterns.map((pattern) => pattern.exec(text)?.groups).find((groups) => groups !== undefined);

/** In a query string, a plus that is not encoded is a space: it can only stand before a zone there. */
const withPlus = (text: string): string =>
  text.replace(/ (\d{2}(?::?\d{2})?)$/, (zone, digits: string) => (/[T ]\d/.test(text.slice(0, -zone.length)) ? `+${digits}` : zone));

const spanOfMoment = (text: string): Span | undefined => {
  if (text.length > MAX_CHARACTERS) return undefined;
  const [date = '', time, ...more] = withPlus(text.toUpperCase()).split(/[T ]/);
  const dateGroups = groupsOf(DATES, date);
  const day = dateGroups && spanOfDate(dateGroups);
  if (day === undefined || more.length > 0) return undefined;
  if (time === undefined) return day;
  const timeGroups = groupsOf(TIMES, time);
  const sinceMidnight = timeGroups && msSinceMidnight(timeGroups);
  if (sinceMidnight === undefined || day.before - day.from !== DAY_MS) return undefined;
  const from = day.from + sinceMidnight;
  return { from, before: from + 1 };
};

const spanOfDate = ({ year = '', month, day, ordinal, week, weekday }: Groups): Span | undefined => {
  const y = Number(year);
  if (ordinal !== undefined) return days(utc(y, 1, Number(ordinal)), 1, (at) => at.getUTCFullYear() === y && Number(ordinal) > 0);
  if (week !== undefined) return spanOfWeek(y, Number(week), weekday === undefined ? undefined : Number(weekday));
  if (month === undefined) return { from: utc(y, 1, 1), before: utc(y + 1, 1, 1) };
  const m = Number(month);
  if (m < 1 || m > 12) return undefined;
  if (day === undefined) return { from: utc(y, m, 1), before: utc(y, m + 1, 1) };
  return days(utc(y, m, Number(day)), 1, (at) => at.getUTCDate() === Number(day));
};

/** The first week of a year is that of 4 January; weeks begin on Monday. */
const spanOfWeek = (year: number, week: number, weekday: number | undefined): Span | undefined => {
  const fourth = utc(year, 1, 4);
  const firstMonday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS;
  const monday = firstMonday + (week - 1) * 7 * DAY_MS;
  const isOfYear = (): boolean => week >= 1 && new Date(monday + 3 * DAY_MS).getUTCFullYear() === year;
  return weekday === undefined ? days(monday, 7, isOfYear) : days(monday + (weekday - 1) * DAY_MS, 1, isOfYear);
};

const days = (from: number, count: number, isThere: (at: Date) => boolean): Span | undefined =>
  isThere(new Date(from)) ? { from, before: from + count * DAY_MS } : undefined;

/** Date.UTC takes the years before 100 for those of the last century. */
const utc = (year: number, month: number, day: number): number => new Date(0).setUTCFullYear(year, month - 1, day);

const msSinceMidnight = ({ hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z' }: Groups): number | undefined => {
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  const isMidnightAtItsEnd = h === 24 && m === 0 && s === 0;
  if ((h > 23 && !isMidnightAtItsEnd) || m > 59 || s > 59) return undefined;
  const [, sign, zoneHours = '0', zoneMinutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  if (Number(zoneHours) > 23 || Number(zoneMinutes) > 59) return undefined;
  const ahead = (sign === '-' ? -1 : 1) * (Number(zoneHours) * HOUR_MS + Number(zoneMinutes) * MINUTE_MS);
  return h * HOUR_MS + m * MINUTE_MS + s * SECOND_MS + Math.floor(Number(`0.${fraction || 0}`) * SECOND_MS) - ahead;
};

/** A time in a query or body: any form of ISO 8601. Without a zone it is in UTC; a date alone is all of its day. */
export const moment = z.string().refine((text) => spanOfMoment(text) !== undefined, rule('not_date'));

const within = (time: number): Date => new Date(Math.min(LATEST, Math.max(EARLIEST, time)));

/** The first time that a `moment` allows as the beginning of a range. */
export const notBefore = (text: string): Date => within(spanOfMoment(text)?.from ?? Number.NaN);

/** The first time after a `moment`. A date without a time means the whole day; a time, the whole of its millisecond, as answers show it. */
export const firstAfter = (text: string): Date => within(spanOfMoment(text)?.before ?? Number.NaN);
