import type { Atom } from '../text/atoms.ts';
import type { RawDate } from './date-mention.ts';
import { isDateLabel } from './date-words.ts';

type Parts = RawDate['parts'];

const SEPARATORS = new Set(['.', '/', '-', '–', '_']);

/** A date of numbers that begins with the atom `at`: 03/04/2025, 2025-04-03, 3. 4. 25, and 20250403 after a word such as "date". */
export const readNumericDate = (atoms: readonly Atom[], at: number, isCompactSure: boolean): RawDate | undefined => {
  if (atoms[at]?.kind !== 'digits') return undefined;
  return readSeparated(atoms, at) ?? readSpaced(atoms, at) ?? readCompact(atoms, at, isCompactSure);
};

const readSeparated = (atoms: readonly Atom[], at: number): RawDate | undefined => {
  const [first, one, second, two, third] = atoms.slice(at, at + 5);
  if (first === undefined || second?.kind !== 'digits' || third?.kind !== 'digits' || one === undefined || two === undefined)
    return undefined;
  if (!SEPARATORS.has(one.text) || two.text !== one.text) return undefined;
  const isSpread = [one, second, two, third].some(({ isSpaced }) => isSpaced);
  // "3 - 4 - 25" is a list, "3. 4. 25" is not
  if (isSpread && one.text !== '.' && first.text.length !== 4 && third.text.length !== 4) return undefined;
  if (isPartOfNumber(atoms, at, at + 4, one.text)) return undefined;
  const parts = partsOf(first.text, second.text, third.text, one.text);
  return parts.length === 0 ? undefined : { next: at + 5, form: 'numeric', parts };
};

/** Whether the same separator and more digits go on before or after it, as in telephone numbers and versions. */
const isPartOfNumber = (atoms: readonly Atom[], first: number, last: number, separator: string): boolean => {
  const [before, sign, after, next] = [atoms[first - 2], atoms[first - 1], atoms[last + 1], atoms[last + 2]];
  const goesBack = sign?.text === separator && before?.kind === 'digits' && !(atoms[first]?.isSpaced ?? true) && !sign.isSpaced;
  const goesOn = after?.text === separator && next?.kind === 'digits' && !after.isSpaced && !next.isSpaced;
  // "1.2.10,50": the last is an amount
  const isAmount = after?.text === ',' && next?.kind === 'digits' && !after.isSpaced && !next.isSpaced && next.text.length === 2;
  return goesBack || goesOn || isAmount;
};

const partsOf = (first: string, second: string, third: string, separator: string): Parts => {
  if (second.length > 2) return [];
  const [a, b, c] = [Number(first), Number(second), Number(third)];
  if (first.length === 4) return third.length <= 2 ? [{ order: 'year_first', year: first, month: b, day: c }] : [];
  if (first.length > 2 || (third.length !== 4 && third.length !== 2)) return [];
  const dayFirst = { order: 'day_first', year: third, month: b, day: a } as const;
  const monthFirst = { order: 'month_first', year: third, month: a, day: b } as const;
  // with dots the day is first everywhere, unless there is no such month
  const parts: Parts = separator === '.' && b <= 12 ? [dayFirst] : [dayFirst, monthFirst];
  return third.length === 2 && first.length === 2 && separator !== '.'
    ? [...parts, { order: 'year_first', year: first, month: b, day: c }]
    : parts;
};

/** "DATE 25 12 2018" */
const readSpaced = (atoms: readonly Atom[], at: number): RawDate | undefined => {
  const [first, second, third] = atoms.slice(at, at + 3);
  if (first === undefined || second?.kind !== 'digits' || third?.kind !== 'digits' || third.text.length !== 4) return undefined;
  if (!isLabelled(atoms, at)) return undefined;
  const parts = partsOf(first.text, second.text, third.text, ' ');
  return parts.length === 0 ? undefined : { next: at + 3, form: 'numeric', parts };
};

const COMPACT = 8;

/** Eight digits are mostly something else. */
const readCompact = (atoms: readonly Atom[], at: number, isSure: boolean): RawDate | undefined => {
  const digits = atoms[at]?.text ?? '';
  if (digits.length !== COMPACT || !(isSure || isLabelled(atoms, at))) return undefined;
  const [year, month, day] = [digits.slice(0, 4), Number(digits.slice(4, 6)), Number(digits.slice(6))];
  const [lastYear, lastMonth, firstDay] = [digits.slice(4), Number(digits.slice(2, 4)), Number(digits.slice(0, 2))];
  return {
    next: at + 1,
    form: 'compact',
    parts: [
      { order: 'year_first', year, month, day },
      { order: 'day_first', year: lastYear, month: lastMonth, day: firstDay },
    ],
  };
};

const WORDS_BEFORE = 3;

/** Whether a word for "date" is right before, with nothing but signs between. */
const isLabelled = (atoms: readonly Atom[], at: number): boolean => {
  const before = atoms.slice(Math.max(0, at - WORDS_BEFORE), at);
  const words = before.filter(({ kind }) => kind !== 'sign').map(({ folded }) => folded);
  return isDateLabel(words);
};
