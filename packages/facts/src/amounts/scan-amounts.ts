import type { Atom } from '../text/phrases.ts';

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

/** By what is written beside an amount; signs and words that people write for one currency each, in their usual capitals. */
const BY_SIGN: Readonly<Record<string, string>> = {
  '€': 'EUR',
  $: 'USD',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  '₺': 'TRY',
  '₴': 'UAH',
  '₽': 'RUB',
  '₩': 'KRW',
  '₪': 'ILS',
  euro: 'EUR',
  Euro: 'EUR',
  EURO: 'EUR',
  euros: 'EUR',
  zł: 'PLN',
  zl: 'PLN',
  Kč: 'CZK',
  RM: 'MYR',
  Rm: 'MYR',
  Rs: 'INR',
  Fr: 'CHF',
  SFr: 'CHF',
  Ft: 'HUF',
};

const CODES = new Set(
  `EUR USD GBP CHF PLN CZK SEK NOK DKK HUF RON BGN HRK JPY CNY INR MYR SGD AUD NZD CAD BRL MXN ZAR TRY ILS AED SAR HKD THB IDR PHP KRW TWD
  VND UAH RUB ARS CLP COP PEN EGP MAD`.split(/\s+/u),
);

/** ISO 4217 of a sign, word or code; undefined for anything else. Codes count in capitals only: "try" and "all" are words. */
export const currencyOf = ({ text }: Atom): string | undefined =>
  CODES.has(text) ? text : Object.hasOwn(BY_SIGN, text) ? BY_SIGN[text] : undefined;

/** The signs of more than one currency: another one that is named decides. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  USD: ['CAD', 'AUD', 'NZD', 'SGD', 'HKD', 'MXN', 'TWD', 'BRL', 'ARS', 'CLP', 'COP', 'MYR'],
  JPY: ['CNY'],
};

/** The currency that most of the amounts have; undefined without any. */
export const mostCommonCurrency = (currencies: readonly string[]): string | undefined => {
  const counts = new Map<string, number>();
  for (const currency of currencies) counts.set(currency, (counts.get(currency) ?? 0) + 1);
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one).map(([currency]) => currency);
  return SHARED[most ?? '']?.find((other) => counts.has(other)) ?? most;
};

/** A number as it is written for money. */
interface NumberShape {
  /** In hundredths, positive. */
  readonly cents: number;
  readonly hasDecimals: boolean;
  /** The atom behind it. */
  readonly next: number;
}

const SEPARATORS = new Set(['.', ',', "'", '’']);
const MAX_PARTS = 6;
/** Beyond it hundredths are no longer exact. */
const MAX_DIGITS = 13;

/**
 * The number that begins at the atom `at`, with either sign for decimals and for thousands: 1,234.50, 1.234,50, 1'234.50, 50,-, .05.
 * With `groupsBySpace` also 1 234,50. Undefined where it is another kind of number, and for none.
 */
export const readNumber = (atoms: readonly Atom[], at: number, groupsBySpace: boolean): NumberShape | undefined => {
  const first = atoms[at];
  if (first === undefined) return undefined;
  if (first.text === '.' && first.isSpaced) return readBareDecimals(atoms, at);
  if (first.kind !== 'digits') return undefined;
  const { parts, separators, next } = collect(atoms, at, groupsBySpace);
  const digits = parts.reduce((sum, part) => sum + part.length, 0);
  if (digits > MAX_DIGITS || parts.length > MAX_PARTS) return { cents: 0, hasDecimals: false, next };
  return readRound(atoms, parts, next) ?? decide(parts, separators, next);
};

/** ".05" */
const readBareDecimals = (atoms: readonly Atom[], at: number): NumberShape | undefined => {
  const digits = atoms[at + 1];
  if (digits?.kind !== 'digits' || digits.isSpaced || digits.text.length !== 2) return undefined;
  return { cents: Number(digits.text), hasDecimals: true, next: at + 2 };
};

const collect = (atoms: readonly Atom[], at: number, groupsBySpace: boolean) => {
  const parts = [atoms[at]?.text ?? ''];
  const separators: string[] = [];
  let next = at + 1;
  let areSpaces = true;
  for (;;) {
    const [sign, digits] = [atoms[next], atoms[next + 1]];
    if (sign !== undefined && SEPARATORS.has(sign.text) && !sign.isSpaced && digits?.kind === 'digits' && !digits.isSpaced) {
      areSpaces = false;
      separators.push(sign.text === '’' ? "'" : sign.text);
      parts.push(digits.text);
      next += 2;
    } else if (groupsBySpace && isGroup(sign) && (parts.at(-1)?.length ?? 0) <= 3 && areSpaces) {
      separators.push(' ');
      parts.push(sign?.text ?? '');
      next += 1;
    } else return { parts, separators, next };
  }
};

const isGroup = (atom: Atom | undefined): boolean => atom?.kind === 'digits' && atom.text.length === 3;

const DASHES = new Set(['-', '–', '—']);

/** "50,-" */
const readRound = (atoms: readonly Atom[], parts: readonly string[], next: number): NumberShape | undefined => {
  const [sign, dash] = [atoms[next], atoms[next + 1]];
  if (parts.length !== 1 || sign === undefined || dash === undefined || (sign.text !== ',' && sign.text !== '.')) return undefined;
  if (sign.isSpaced || dash.isSpaced || !DASHES.has(dash.text) || atoms[next + 2]?.kind === 'digits') return undefined;
  return { cents: Number(parts[0]) * 100, hasDecimals: true, next: next + 2 };
};

const decide = (parts: readonly string[], separators: readonly string[], next: number): NumberShape => {
  const none = { cents: 0, hasDecimals: false, next };
  const last = parts.at(-1) ?? '';
  const separator = separators.at(-1);
  const hasDecimals = separator !== undefined && separator !== "'" && separator !== ' ' && last.length === 2;
  const groups = hasDecimals ? parts.slice(0, -1) : parts;
  const between = hasDecimals ? separators.slice(0, -1) : separators;
  if (!areGroups(groups, between) || (hasDecimals && between.includes(separator))) return none;
  return { cents: Number(groups.join('')) * 100 + (hasDecimals ? Number(last) : 0), hasDecimals, next };
};

/** Groups of three, or of two as in India, with one separator between them. */
const areGroups = (groups: readonly string[], between: readonly string[]): boolean => {
  if (between.some((separator) => separator !== between[0])) return false;
  return groups.slice(1).every(({ length }, at) => length === 3 || (length === 2 && at < groups.length - 2 && between[0] === ','));
};
