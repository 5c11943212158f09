import type { Day } from '../invoice.ts';

const DAY_CHARS = 10;
const ISO_DAY = /^\d{4}-\d\d-\d\d$/;
const PLAIN_DAY = /^\d{8}/;

/** The day of an xs:date or xs:dateTime (its zone is left away: the day counts where it was written); undefined where there is none. */
export const isoDay = (text: string | undefined): Day | undefined => {
  const day = text?.slice(0, DAY_CHARS);
  return day !== undefined && ISO_DAY.test(day) && isInCalendar(day) ? day : undefined;
};

/** The day of a date of CII: `20260314` (UNTDID 2379 format 102, and 203 and 204, which add the time) or an ISO date. */
export const ciiDay = (text: string | undefined): Day | undefined => {
  if (text === undefined || !PLAIN_DAY.test(text)) return isoDay(text);
  return isoDay(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`);
};

const isInCalendar = (day: string): boolean => {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
};
