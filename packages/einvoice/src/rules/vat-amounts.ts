import type { Invoice, TaxCategory } from '../invoice.ts';
import { add, type Decimal, negate, parseDecimal, ZERO } from '../values/decimal.ts';
import { amountOf } from './rule.ts';

/** A rate without zeros at its end, so that 19 and 19.00 are one rate. */
export const rateKey = (rate: string | undefined): string => {
  const value = parseDecimal(rate);
  if (value === undefined) return '';
  let { units, scale } = value;
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n;
    scale -= 1;
  }
  return `${units}e-${scale}`;
};

/** Net amounts of lines, less allowances, plus charges of the document in one VAT category: by rate, or as a whole for the key `all`. */
export const netAmounts = ({ lines, adjustments }: Invoice, category: string): ReadonlyMap<string, Decimal> => {
  const sums = new Map<string, Decimal>();
  const count = (tax: TaxCategory, amount: Decimal): void => {
    if (tax.category !== category) return;
    for (const key of ['all', rateKey(tax.rate)]) sums.set(key, add(sums.get(key) ?? ZERO, amount));
  };
  for (const { isSummed, tax, netAmount } of lines) if (isSummed) count(tax, amountOf(netAmount));
  for (const { isCharge, tax, amount } of adjustments) count(tax, isCharge ? amountOf(amount) : negate(amountOf(amount)));
  return sums;
};
