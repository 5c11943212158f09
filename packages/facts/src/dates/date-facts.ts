import { type Fact, toConfidence } from '../fact.ts';
import { splitIntoAtoms } from '../text/atoms.ts';
import { atomAt, wordsAbove, wordsBefore } from '../text/label.ts';
import { boxOf, type Line } from '../text/page-lines.ts';
import type { DateMention, DateOrder, DateReading, ScanContext } from './date-mention.ts';
import { type ChosenOrder, chooseOrder, type OrderHints } from './date-order.ts';
import { type DateRole, roleOf } from './date-words.ts';
import { scanDates } from './scan-dates.ts';

export interface DateHints extends ScanContext, OrderHints {
  /** YYYY-MM-DD; not dates of this document, such as a birthday of the owner. */
  readonly ignored: ReadonlySet<string>;
}

interface PlacedDate extends DateMention {
  readonly line: Line;
  /** Counted over the document. */
  readonly row: number;
  readonly role: DateRole | undefined;
  readonly hasTime: boolean;
}

/** More are read of no document; the first ones count. */
const MAX_DATES = 200;

/** What the label of a date is worth as the date of the document. */
const WORTH: Readonly<Record<DateRole | 'none', number>> = {
  document: 0.95,
  date: 0.8,
  none: 0.55,
  service: 0.3,
  other: 0.25,
  due: 0.15,
  birth: 0,
};
/** The date of a document rather stands above. */
const LOSS = { perRow: 0.002, atMost: 0.12, month: 0.3, unlikely: 0.35 };
const GAIN = { time: 0.12, letterhead: 0.12 };

/** The dates of a document as facts: document date, due date and service date, with what else ambiguous ones can mean. */
export const findDateFacts = (pages: readonly (readonly Line[])[], hints: DateHints): Fact[] => {
  const dates = placeDates(pages, hints).filter(({ role }) => role !== 'birth');
  const chosen = chooseOrder(dates, hints);
  return dates.flatMap((date) => factsOf(date, chosen, hints.ignored));
};

const placeDates = (pages: readonly (readonly Line[])[], hints: DateHints): PlacedDate[] => {
  const placed: PlacedDate[] = [];
  let row = 0;
  for (const lines of pages) {
    for (const line of lines) {
      row += 1;
      if (!line.atoms.some(({ kind }) => kind === 'digits')) continue;
      placed.push(...placeInLine(lines, line, row, scanDates(line.atoms, hints).slice(0, MAX_DATES)));
      if (placed.length >= MAX_DATES) return placed.slice(0, MAX_DATES);
    }
  }
  return placed;
};

const placeInLine = (lines: readonly Line[], line: Line, row: number, mentions: readonly DateMention[]): PlacedDate[] => {
  const hasTime = line.atoms.some(({ text }, at) => text === ':' && isTimePart(line, at - 1) && isTimePart(line, at + 1));
  let from = 0;
  let before: DateRole | undefined;
  return mentions.map((mention, at) => {
    const words = wordsBefore(line, from, mention.start);
    const isRange = isJoined(line, mentions[at - 1], mention) || isJoined(line, mention, mentions[at + 1]);
    const role = roleOf(words) ?? rangeRole(isRange, before) ?? roleOf(wordsAbove(lines, line, mention.start, mention.end));
    from = mention.end;
    before = role;
    return { ...mention, line, row, role, hasTime };
  });
};

const isTimePart = (line: Line, at: number): boolean => {
  const atom = line.atoms[at];
  return atom?.kind === 'digits' && atom.text.length <= 2;
};

const JOINTS = new Set(['-', '–', '—', 'to', 'bis', 'au', 'al', 'tot', 'do', 'a', 'ate', 'until', 'through', 'thru']);

/** Whether nothing but a dash or "to" is between two dates. */
const isJoined = (line: Line, one: DateMention | undefined, other: DateMention | undefined): boolean => {
  if (one === undefined || other === undefined) return false;
  const between = line.atoms.slice(atomAt(line, one.end), atomAt(line, other.start));
  return between.length === 1 && JOINTS.has(between[0]?.folded ?? '');
};

/** A period is when something was supplied, unless its label says otherwise. */
const rangeRole = (isRange: boolean, before: DateRole | undefined): DateRole | undefined => (isRange ? (before ?? 'service') : undefined);

const factsOf = (date: PlacedDate, { order, certainty }: ChosenOrder, ignored: ReadonlySet<string>): Fact[] => {
  const reading = pick(date.readings, order);
  if (reading === undefined || ignored.has(reading.iso)) return [];
  const isAmbiguous = hasTwoMeanings(date.readings);
  const main = scoreOf(date) * (isAmbiguous ? certainty : 1);
  const others = date.readings.filter(({ iso }) => iso !== reading.iso && !ignored.has(iso));
  return [
    ...toFacts(date, reading, main, isAmbiguous),
    ...others.flatMap((other) => toFacts(date, other, main * LOSS.unlikely, isAmbiguous)),
  ];
};

const pick = (readings: readonly DateReading[], order: DateOrder): DateReading | undefined =>
  readings.find((reading) => reading.order === order) ?? readings[0];

/** The year first in two digits is so rare that it is only offered. */
const hasTwoMeanings = (readings: readonly DateReading[]): boolean => readings.filter(({ order }) => order !== 'year_first').length > 1;

const scoreOf = ({ role, form, hasTime, row, line, start, end }: PlacedDate): number => {
  const depth = Math.min(LOSS.atMost, row * LOSS.perRow);
  const isLetterhead = role === undefined && form === 'words' && start > 0 && start < 40 && end >= line.text.trimEnd().length - 1;
  const gain = (role === undefined && hasTime ? GAIN.time : 0) + (isLetterhead ? GAIN.letterhead : 0);
  return WORTH[role ?? 'none'] + gain - depth - (form === 'month' ? LOSS.month : 0);
};

const KINDS = { due: 'due_date', service: 'service_date' } as const;

const toFacts = (date: PlacedDate, { iso, order }: DateReading, score: number, isAmbiguous: boolean): Fact[] => {
  const { line, role } = date;
  const place = {
    page: line.page,
    box: boxOf(line, date.start, date.end),
    value: iso,
    isAmbiguous,
    dateOrder: isAmbiguous ? order : undefined,
  };
  const rule = `date.${role ?? (date.form === 'month' ? 'month' : 'unlabelled')}`;
  const own: Fact = { kind: 'document_date', ...place, confidence: toConfidence(score), rule };
  if (role !== 'due' && role !== 'service') return [own];
  const labelled = score - WORTH[role] + WORTH.document;
  return [own, { kind: KINDS[role], ...place, confidence: toConfidence(labelled), rule }];
};

/** Whoever names a file after a date means the date of the document. */
const FILE_NAME_CONFIDENCE = 0.97;

/** The dates in the name of a file, in the order of numbers that its names have. */
export const findFileNameDates = (name: string, order: DateOrder, hints: DateHints): Fact[] => {
  const facts: Fact[] = [];
  for (const { readings } of scanDates(splitIntoAtoms(name), { ...hints, isCompactSure: true })) {
    const reading = pick(readings, order);
    if (reading === undefined || hints.ignored.has(reading.iso)) continue;
    const place = { value: reading.iso, page: undefined, box: undefined };
    facts.push({
      kind: 'document_date',
      ...place,
      confidence: FILE_NAME_CONFIDENCE,
      rule: 'date.file_name',
      isAmbiguous: hasTwoMeanings(readings),
    });
  }
  return facts;
};
