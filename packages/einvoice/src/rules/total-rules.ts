import type { Adjustment, Invoice, TaxTotal } from '../invoice.ts';
import { add, compare, type Decimal, isEqual, percentOf, roundToCents, subtract, sum } from '../values/decimal.ts';
import { amountOf, isDecimal, isGiven, type Rule, rule } from './rule.ts';

const sumOf = (adjustments: readonly Adjustment[], isCharge: boolean): Decimal =>
  sum(adjustments.filter((one) => one.isCharge === isCharge).map(({ amount }) => amountOf(amount)));

const equalsInCents = (a: Decimal, b: Decimal): boolean => isEqual(roundToCents(a), roundToCents(b));

/** The official validation artefacts let VAT differ from the product of amount and rate by less than this, for taxes rounded per line. */
const ONE: Decimal = { units: 1n, scale: 0 };

/** Whether they differ by less than one unit of the currency. */
export const isNear = (a: Decimal, b: Decimal): boolean => {
  const difference = subtract(a, b);
  return compare(difference, ONE) < 0 && compare(difference, { units: -1n, scale: 0 }) > 0;
};

/** Whether the VAT is what the taxable amount gives at the rate. */
export const isTaxOfBase = ({ taxable, rate, amount }: TaxTotal): boolean =>
  isNear(amountOf(amount), roundToCents(percentOf(amountOf(taxable), amountOf(rate))));

const linesAddUp = ({ lines, totals }: Invoice): boolean =>
  equalsInCents(amountOf(totals.lines), sum(lines.filter(({ isSummed }) => isSummed).map(({ netAmount }) => amountOf(netAmount))));

const netAddsUp = ({ totals }: Invoice): boolean =>
  equalsInCents(amountOf(totals.net), add(subtract(amountOf(totals.lines), amountOf(totals.allowances)), amountOf(totals.charges)));

const payableAddsUp = ({ totals }: Invoice): boolean =>
  equalsInCents(amountOf(totals.payable), add(subtract(amountOf(totals.grandTotal), amountOf(totals.prepaid)), amountOf(totals.rounding)));

/** Totals of the document (BG-22) and their sums. */
export const TOTAL_RULES: readonly Rule[] = [
  rule('BR-12', 'An invoice has the sum of the net amounts of its lines (BT-106).', ({ totals }) => isDecimal(totals.lines)),
  rule('BR-13', 'An invoice has a total without VAT (BT-109).', ({ totals }) => isDecimal(totals.net)),
  rule('BR-14', 'An invoice has a total with VAT (BT-112).', ({ totals }) => isDecimal(totals.grandTotal)),
  rule('BR-15', 'An invoice has an amount due for payment (BT-115).', ({ totals }) => isDecimal(totals.payable)),
  rule('BR-CO-10', 'The sum of line net amounts (BT-106) is the sum of BT-131.', linesAddUp),
  rule('BR-CO-11', 'The sum of allowances (BT-107) is the sum of BT-92.', ({ totals, adjustments }) =>
    equalsInCents(amountOf(totals.allowances), sumOf(adjustments, false)),
  ),
  rule('BR-CO-12', 'The sum of charges (BT-108) is the sum of BT-99.', ({ totals, adjustments }) =>
    equalsInCents(amountOf(totals.charges), sumOf(adjustments, true)),
  ),
  rule('BR-CO-13', 'The total without VAT (BT-109) is BT-106 - BT-107 + BT-108.', netAddsUp),
  rule('BR-CO-14', 'The total VAT amount (BT-110) is the sum of BT-117.', ({ totals, taxes }) =>
    equalsInCents(amountOf(totals.tax), sum(taxes.map(({ amount }) => amountOf(amount)))),
  ),
  rule('BR-CO-15', 'The total with VAT (BT-112) is BT-109 + BT-110.', ({ totals }) =>
    equalsInCents(amountOf(totals.grandTotal), add(amountOf(totals.net), amountOf(totals.tax))),
  ),
  rule('BR-CO-16', 'The amount due for payment (BT-115) is BT-112 - BT-113 + BT-114.', payableAddsUp),
];

/** The VAT breakdown (BG-23). */
export const BREAKDOWN_RULES: readonly Rule[] = [
  rule('BR-45', 'A VAT breakdown has a taxable amount (BT-116).', ({ taxes }) => taxes.every(({ taxable }) => isDecimal(taxable))),
  rule('BR-46', 'A VAT breakdown has a tax amount (BT-117).', ({ taxes }) => taxes.every(({ amount }) => isDecimal(amount))),
  rule('BR-47', 'A VAT breakdown has a VAT category code (BT-118).', ({ taxes }) => taxes.every(({ category }) => isGiven(category))),
  rule('BR-48', 'A VAT breakdown has a rate (BT-119), unless it is not subject to VAT.', ({ taxes }) =>
    taxes.every(({ category, rate }) => category === 'O' || isDecimal(rate)),
  ),
  rule('BR-CO-17', 'The tax amount (BT-117) is BT-116 x BT-119 / 100, rounded to two decimals.', ({ taxes }) => taxes.every(isTaxOfBase)),
  rule('BR-CO-18', 'An invoice has at least one VAT breakdown (BG-23).', ({ taxes }) => taxes.length > 0),
];
