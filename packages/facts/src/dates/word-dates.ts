import type { Atom } from '../text/atoms.ts';
import type { RawDate } from './date-mention.ts';
import { monthOf } from './month-names.ts';

const ORDINALS = new Set(['st', 'nd', 'rd', 'th', 'er', 'e', 'o', 'a', 'ste', 'de', 'ten']);
const CONNECTORS = new Set(['de', 'of', 'del', 'do', 'di', 'van', 'the', 'day', 'd', 'gada', 'roku']);
const SIGNS = new Set(['.', ',', '-', '/', "'", '’', '°', 'º', 'ª', '‐', '–', '_']);
/** "21st of March, '24" has three between month and year. */
const MAX_BETWEEN = 3;

/** A date whose month is a word, beginning with the atom `at`: 3. Mai 2024, May 3rd, 2024, 2024 May 3, 03-MAY-24, May 2024. */
export const readWordDate = (atoms: readonly Atom[], at: number, languages: readonly string[]): RawDate | undefined => {
  const atom = atoms[at];
  if (atom?.kind === 'letters') return readMonthFirst(atoms, at, languages);
  if (atom?.text.length === 4) return readYearFirst(atoms, at, languages);
  return (atom?.text.length ?? 0) <= 2 ? readDayFirst(atoms, at, languages) : undefined;
};

/** The place of the next atom that is no sign and no connecting word. */
const skip = (atoms: readonly Atom[], from: number, words: ReadonlySet<string> = CONNECTORS): number => {
  let at = from;
  for (let count = 0; count < MAX_BETWEEN; count += 1) {
    const atom = atoms[at];
    if (atom === undefined) break;
    if (!(atom.kind === 'sign' ? SIGNS.has(atom.text) : words.has(atom.folded))) break;
    at += 1;
  }
  return at;
};

/** Past "st" of "21st". */
const skipOrdinal = (atoms: readonly Atom[], at: number): number => {
  const atom = atoms[at];
  return atom !== undefined && !atom.isSpaced && ORDINALS.has(atom.folded) ? at + 1 : at;
};

const monthAt = (atoms: readonly Atom[], at: number, languages: readonly string[]): number | undefined => {
  const atom = atoms[at];
  return atom?.kind === 'letters' ? monthOf(atom.folded, languages) : undefined;
};

const dayAt = (atoms: readonly Atom[], at: number): number | undefined => {
  const atom = atoms[at];
  return atom?.kind === 'digits' && atom.text.length <= 2 ? Number(atom.text) : undefined;
};

const hasFourDigits = (atom: Atom | undefined): boolean => atom?.kind === 'digits' && atom.text.length === 4;

/** A year of four digits, or of two that no time and no longer year follows. */
const yearAt = (atoms: readonly Atom[], at: number): string | undefined => {
  const atom = atoms[at];
  if (hasFourDigits(atom)) return atom?.text;
  if (atom?.kind !== 'digits' || atom.text.length !== 2) return undefined;
  const next = atoms[at + 1];
  const isTime = next?.text === ':' && !next.isSpaced;
  return isTime || hasFourDigits(atoms[skip(atoms, at + 1)]) ? undefined : atom.text;
};

const readDayFirst = (atoms: readonly Atom[], at: number, languages: readonly string[]): RawDate | undefined => {
  const day = dayAt(atoms, at);
  const monthPlace = skip(atoms, skipOrdinal(atoms, at + 1));
  const month = monthAt(atoms, monthPlace, languages);
  const yearPlace = skip(atoms, monthPlace + 1);
  const year = yearAt(atoms, yearPlace);
  if (day === undefined || month === undefined || year === undefined) return undefined;
  return { next: yearPlace + 1, form: 'words', parts: [{ order: 'day_first', year, month, day }] };
};

const readMonthFirst = (atoms: readonly Atom[], at: number, languages: readonly string[]): RawDate | undefined => {
  const month = monthAt(atoms, at, languages);
  if (month === undefined) return undefined;
  const dayPlace = skip(atoms, at + 1);
  const day = dayAt(atoms, dayPlace);
  const yearPlace = skip(atoms, skipOrdinal(atoms, dayPlace + 1));
  const year = yearAt(atoms, yearPlace);
  if (day !== undefined && year !== undefined && (day <= 31 || year.length === 4))
    return { next: yearPlace + 1, form: 'words', parts: [{ order: 'month_first', year, month, day }] };
  // after a number it is what is left of a day that does not exist, such as 30 February
  const isWhole = hasFourDigits(atoms[dayPlace]) && dayAt(atoms, at - 1) === undefined && dayAt(atoms, at - 2) === undefined;
  if (!isWhole) return undefined;
  return { next: dayPlace + 1, form: 'month', parts: [{ order: 'month_first', year: atoms[dayPlace]?.text ?? '', month, day: 1 }] };
};

const readYearFirst = (atoms: readonly Atom[], at: number, languages: readonly string[]): RawDate | undefined => {
  const year = atoms[at]?.text ?? '';
  const second = skip(atoms, at + 1);
  const third = skip(atoms, second + 1);
  const [day, month] = [dayAt(atoms, second), monthAt(atoms, third, languages)];
  // "No. 2016 3 May 2018" has its year behind the month
  if (hasFourDigits(atoms[skip(atoms, third + 1)])) return undefined;
  if (day !== undefined && month !== undefined)
    return { next: third + 1, form: 'words', parts: [{ order: 'year_first', year, month, day }] };
  const [otherMonth, otherDay] = [monthAt(atoms, second, languages), dayAt(atoms, third)];
  if (otherDay === undefined || otherMonth === undefined) return undefined;
  return { next: third + 1, form: 'words', parts: [{ order: 'year_first', year, month: otherMonth, day: otherDay }] };
};

/** 2021年7月21日 */
export const readJapaneseDate = (atoms: readonly Atom[], at: number): RawDate | undefined => {
  const [year, yearSign, month, monthSign, day, daySign] = atoms.slice(at, at + 6);
  if (!hasFourDigits(year) || yearSign?.text !== '年' || monthSign?.text !== '月' || daySign?.text.startsWith('日') !== true)
    return undefined;
  if (month?.kind !== 'digits' || day?.kind !== 'digits') return undefined;
  const parts = [{ order: 'year_first', year: year?.text ?? '', month: Number(month.text), day: Number(day.text) }] as const;
  return { next: at + 6, form: 'words', parts };
};
