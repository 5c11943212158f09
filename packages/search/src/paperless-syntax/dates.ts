import { RELATIVE_DATES } from '../relative-dates.ts';
import { NotUnderstood, type RangeText } from './tokens.ts';

const COMPACT = /^(\d{4})(\d{2})(\d{2})?$/;
const AGO = /^(?:now)?\s*-\s*(\d{1,4})\s*(d|days?|w|wks?|weeks?|m|mo|months?|y|yrs?|years?)$/;
const SINCE = /^(\d{1,4})\s*(days?|weeks?|months?|years?)\s+ago$/;

/** One date as our own syntax has it: `20240131` is `2024-01-31`, `-1 week` is `-1w`, `previous month` is `previous-month`. */
const toDate = (text: string): string => {
  const plain = text.trim().toLowerCase();
  const [, year, month, day] = COMPACT.exec(plain) ?? [];
  if (year !== undefined) return [year, month, day].filter((part) => part !== undefined).join('-');
  const [, count, unit] = AGO.exec(plain) ?? SINCE.exec(plain) ?? [];
  if (count !== undefined) return `-${count}${unit?.[0] ?? ''}`;
  const name = plain.replaceAll(/\s+/g, '-');
  return RELATIVE_DATES.includes(name) ? name : plain;
};

const COMPARED = /^(?<sign>>=|<=|>|<)(?<value>.*)$/;

/** What stands behind a date field, in our own syntax. */
export const toDates = (text: string): string => {
  const { sign = '', value = text } = COMPARED.exec(text.trim())?.groups ?? {};
  return `${sign}${toDate(value)}`;
};

/** The ranges of our own syntax that together are the range; one where both of its bounds belong to it. */
export const toRanges = (range: RangeText, whole: string, toValue: (text: string) => string = toDate): readonly string[] => {
  const [from, to] = [range.from, range.to].map((text) => (text === '' ? '' : toValue(text)));
  if (from === '' && to === '') throw new NotUnderstood(`"${whole}" has no bound.`);
  if (!range.isFromExcluded && !range.isToExcluded) return [`${from}..${to}`];
  const below = range.isToExcluded ? '<' : '<=';
  const above = range.isFromExcluded ? '>' : '>=';
  return [...(from === '' ? [] : [`${above}${from}`]), ...(to === '' ? [] : [`${below}${to}`])];
};
