/** `units` / 10^`scale`, exactly. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { units: 0n, scale: 0 };
/** More are no amount of money; arithmetic with very long numbers takes more than linear time. */
const MAX_DIGITS = 40;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** A text as xs:decimal; undefined where it is none or longer than 40 digits. */
export const parseDecimal = (text: string | undefined): Decimal | undefined => {
  if (text === undefined || text.length > MAX_DIGITS || !DECIMAL.test(text)) return undefined;
  const [whole = '', fraction = ''] = text.replace('+', '').split('.', 2);
  return { units: BigInt(`${whole}${fraction}` === '-' ? 0 : `${whole}${fraction}`), scale: fraction.length };
};

const at = ({ units, scale }: Decimal, wanted: number): bigint => units * 10n ** BigInt(wanted - scale);

export const add = (a: Decimal, b: Decimal): Decimal => {
  const scale = Math.max(a.scale, b.scale);
  return { units: at(a, scale) + at(b, scale), scale };
};

export const negate = ({ units, scale }: Decimal): Decimal => ({ units: -units, scale });

export const subtract = (a: Decimal, b: Decimal): Decimal => add(a, negate(b));

export const multiply = (a: Decimal, b: Decimal): Decimal => ({ units: a.units * b.units, scale: a.scale + b.scale });

export const sum = (values: Iterable<Decimal>): Decimal => {
  let total = ZERO;
  for (const value of values) total = add(total, value);
  return total;
};

/** Negative, zero or positive as `a` is less than, equal to or more than `b`. */
export const compare = (a: Decimal, b: Decimal): number => {
  const { units } = subtract(a, b);
  if (units === 0n) return 0;
  return units < 0n ? -1 : 1;
};

export const isEqual = (a: Decimal, b: Decimal): boolean => compare(a, b) === 0;

/** To two decimals; a half goes away from zero. */
export const roundToCents = ({ units, scale }: Decimal): Decimal => {
  if (scale <= 2) return { units, scale };
  const divisor = 10n ** BigInt(scale - 2);
  const size = units < 0n ? -units : units;
  const rounded = (size + divisor / 2n) / divisor;
  return { units: units < 0n ? -rounded : rounded, scale: 2 };
};

/** `part` percent of `base`, not rounded. */
export const percentOf = (base: Decimal, part: Decimal): Decimal => {
  const { units, scale } = multiply(base, part);
  return { units, scale: scale + 2 };
};
