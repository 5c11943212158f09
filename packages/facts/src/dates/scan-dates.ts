import type { Atom } from '../text/atoms.ts';
import { type CalendarDate, fullYear, isCalendarDate, lastPossibleDay, toIso } from './calendar.ts';
import type { DateMention, DateReading, RawDate, ScanContext } from './date-mention.ts';
import { readNumericDate } from './numeric-dates.ts';
import { readJapaneseDate, readWordDate } from './word-dates.ts';

/**
 * The dates of a line, from left to right. Every form is tried at every atom and looks at a fixed number of atoms after it, so the time
 * is in proportion to the line. Dates that do not exist or are more than a year ahead are left out.
 */
export const scanDates = (atoms: readonly Atom[], context: ScanContext): DateMention[] => {
  const mentions: DateMention[] = [];
  const last = lastPossibleDay(context.now);
  for (let at = 0; at < atoms.length; ) {
    const raw = readDate(atoms, at, context);
    const readings = raw === undefined ? [] : readingsOf(raw, context.now, last);
    const [first, end] = [atoms[at], atoms[(raw?.next ?? 0) - 1]];
    if (raw !== undefined && first !== undefined && end !== undefined && readings.length > 0)
      mentions.push({ start: first.start, end: end.end, form: raw.form, readings });
    at = raw?.next ?? at + 1;
  }
  return mentions;
};

const readDate = (atoms: readonly Atom[], at: number, { languages, isCompactSure = false }: ScanContext): RawDate | undefined => {
  const atom = atoms[at];
  if (atom === undefined || atom.kind === 'sign') return undefined;
  return readWordDate(atoms, at, languages) ?? readJapaneseDate(atoms, at) ?? readNumericDate(atoms, at, isCompactSure);
};

const readingsOf = ({ parts }: RawDate, now: Date, last: string): DateReading[] => {
  const readings: DateReading[] = [];
  for (const { order, year, month, day } of parts) {
    const date: CalendarDate = { year: fullYear(year, now), month, day };
    const iso = toIso(date);
    if (!isCalendarDate(date) || iso > last || readings.some((reading) => reading.iso === iso)) continue;
    readings.push({ iso, order });
  }
  return readings;
};
