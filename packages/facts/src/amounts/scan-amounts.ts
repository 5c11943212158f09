import type { Atom } from '../text/atoms.ts';
import { currencyOf } from './currencies.ts';
import { type NumberShape, readNumber } from './read-number.ts';

/** An amount of money in a line. */
export interface AmountMention {
  /** In hundredths; negative with a minus before or after it. */
  readonly cents: number;
  /** ISO 4217, where it is written beside it. */
  readonly currency: string | undefined;
  /** Offsets in the line, with its currency. */
  readonly start: number;
  readonly end: number;
}

const MINUS = new Set(['-', '−', '–']);
/** What is measured, not paid. */
const UNITS = new Set([
  'kg',
  'g',
  'gr',
  'mg',
  'l',
  'ml',
  'cl',
  'km',
  'm',
  'cm',
  'mm',
  'kwh',
  'h',
  'hrs',
  'oz',
  'lb',
  'lbs',
  'gb',
  'mb',
  'stk',
  'pcs',
]);

/**
 * The amounts of a line, from left to right: numbers with two decimals, and whole numbers beside a currency. Percentages, quantities,
 * times and parts of longer numbers are none. The time is in proportion to the line.
 */
export const scanAmounts = (atoms: readonly Atom[], groupsBySpace: boolean): AmountMention[] => {
  const amounts: AmountMention[] = [];
  for (let at = 0; at < atoms.length; ) {
    const shape = readNumber(atoms, at, groupsBySpace);
    const amount = shape === undefined ? undefined : toAmount(atoms, at, shape);
    if (amount !== undefined) amounts.push(amount);
    at = shape?.next ?? at + 1;
  }
  return amounts;
};

const toAmount = (atoms: readonly Atom[], at: number, shape: NumberShape): AmountMention | undefined => {
  const after = atoms[shape.next];
  const hasMinus = isMinus(atoms, at - 1);
  const before = atoms[hasMinus ? at - 2 : at - 1];
  const leading = before === undefined ? undefined : currencyOf(before);
  const trailing = after === undefined ? undefined : currencyOf(after);
  const currency = leading ?? trailing;
  if (!shape.hasDecimals && currency === undefined) return undefined;
  if ((!hasMinus && isGluedToOther(atoms, at, before, leading)) || isFollowedByUnit(atoms, shape.next)) return undefined;
  const isNegativeAfter = after !== undefined && !after.isSpaced && MINUS.has(after.text) && atoms[shape.next + 1]?.kind !== 'digits';
  const first = leading === undefined ? atoms[at] : before;
  const last = leading === undefined && trailing !== undefined ? after : atoms[shape.next - 1];
  const isNegativeBefore = hasMinus || (leading !== undefined && isMinus(atoms, at - 2));
  const sign = isNegativeBefore || isNegativeAfter ? -1 : 1;
  return { cents: sign * shape.cents, currency, start: first?.start ?? 0, end: last?.end ?? 0 };
};

/** A minus, and no dash between words or numbers: nothing is between it and what follows. */
const isMinus = (atoms: readonly Atom[], at: number): boolean => {
  const [before, atom, after] = [atoms[at - 1], atoms[at], atoms[at + 1]];
  if (atom === undefined || !MINUS.has(atom.text) || (after?.isSpaced ?? true)) return false;
  return atom.isSpaced || before === undefined || before.kind === 'sign' || currencyOf(before) !== undefined;
};

/** "A12.50" and "1/2.50" are no amounts; "x3.11" and "RM3.11" are. */
const isGluedToOther = (atoms: readonly Atom[], at: number, before: Atom | undefined, currency: string | undefined): boolean => {
  if (before === undefined || currency !== undefined || (atoms[at]?.isSpaced ?? true)) return false;
  return (before.kind === 'letters' && before.folded !== 'x') || before.text === '/' || before.kind === 'digits';
};

const isFollowedByUnit = (atoms: readonly Atom[], next: number): boolean => {
  const after = atoms[next];
  if (after === undefined) return false;
  if (after.text === '%' || UNITS.has(after.folded)) return true;
  return !after.isSpaced && (after.text === ':' || after.text === '/') && atoms[next + 1]?.kind === 'digits';
};
