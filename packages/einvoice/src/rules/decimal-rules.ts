import type { Adjustment, DecimalText, Invoice } from '../invoice.ts';
import { parseDecimal, roundToCents, subtract } from '../values/decimal.ts';
import { type Rule, rule } from './rule.ts';

const MAX_DECIMALS = 2;

/** Zeros at the end do not count. */
const hasCents = (text: DecimalText | undefined): boolean => {
  const value = parseDecimal(text);
  return value === undefined || value.scale <= MAX_DECIMALS || subtract(value, roundToCents(value)).units === 0n;
};

const decimals = (code: string, what: string, amounts: (invoice: Invoice) => readonly (DecimalText | undefined)[]): Rule =>
  rule(code, `${what} has at most two decimals.`, (invoice) => amounts(invoice).every(hasCents));

const ofDocument = (isCharge: boolean, key: 'amount' | 'base') => (invoice: Invoice) => pick(invoice.adjustments, isCharge, key);

const ofLines = (isCharge: boolean, key: 'amount' | 'base') => (invoice: Invoice) =>
  invoice.lines.flatMap((line) => pick(line.adjustments, isCharge, key));

const pick = (adjustments: readonly Adjustment[], isCharge: boolean, key: 'amount' | 'base'): (DecimalText | undefined)[] =>
  adjustments.filter((one) => one.isCharge === isCharge).map((one) => one[key]);

/** BR-DEC: amounts have at most two decimals, prices and quantities any number. */
export const DECIMAL_RULES: readonly Rule[] = [
  decimals('BR-DEC-01', 'The amount of a document level allowance (BT-92)', ofDocument(false, 'amount')),
  decimals('BR-DEC-02', 'The base amount of a document level allowance (BT-93)', ofDocument(false, 'base')),
  decimals('BR-DEC-05', 'The amount of a document level charge (BT-99)', ofDocument(true, 'amount')),
  decimals('BR-DEC-06', 'The base amount of a document level charge (BT-100)', ofDocument(true, 'base')),
  decimals('BR-DEC-09', 'The sum of line net amounts (BT-106)', ({ totals }) => [totals.lines]),
  decimals('BR-DEC-10', 'The sum of allowances (BT-107)', ({ totals }) => [totals.allowances]),
  decimals('BR-DEC-11', 'The sum of charges (BT-108)', ({ totals }) => [totals.charges]),
  decimals('BR-DEC-12', 'The total without VAT (BT-109)', ({ totals }) => [totals.net]),
  decimals('BR-DEC-13', 'The total VAT amount (BT-110)', ({ totals }) => [totals.tax]),
  decimals('BR-DEC-14', 'The total with VAT (BT-112)', ({ totals }) => [totals.grandTotal]),
  decimals('BR-DEC-15', 'The total VAT amount in accounting currency (BT-111)', ({ totals }) => [totals.taxInTaxCurrency]),
  decimals('BR-DEC-16', 'The paid amount (BT-113)', ({ totals }) => [totals.prepaid]),
  decimals('BR-DEC-17', 'The rounding amount (BT-114)', ({ totals }) => [totals.rounding]),
  decimals('BR-DEC-18', 'The amount due for payment (BT-115)', ({ totals }) => [totals.payable]),
  decimals('BR-DEC-19', 'The taxable amount of a VAT category (BT-116)', ({ taxes }) => taxes.map(({ taxable }) => taxable)),
  decimals('BR-DEC-20', 'The tax amount of a VAT category (BT-117)', ({ taxes }) => taxes.map(({ amount }) => amount)),
  decimals('BR-DEC-23', 'The net amount of a line (BT-131)', ({ lines }) => lines.map(({ netAmount }) => netAmount)),
  decimals('BR-DEC-24', 'The amount of an allowance of a line (BT-136)', ofLines(false, 'amount')),
  decimals('BR-DEC-25', 'The base amount of an allowance of a line (BT-137)', ofLines(false, 'base')),
  decimals('BR-DEC-27', 'The amount of a charge of a line (BT-141)', ofLines(true, 'amount')),
  decimals('BR-DEC-28', 'The base amount of a charge of a line (BT-142)', ofLines(true, 'base')),
];
