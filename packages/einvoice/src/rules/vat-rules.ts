import type { Invoice, TaxCategory, TaxTotal } from '../invoice.ts';
import { isEqual, parseDecimal, roundToCents, ZERO } from '../values/decimal.ts';
import { amountOf, isGiven, type Rule, rule } from './rule.ts';
import { isNear, isTaxOfBase } from './total-rules.ts';
import { netAmounts, rateKey } from './vat-amounts.ts';
import { VAT_CATEGORIES, type VatCategory } from './vat-category.ts';

/** Where a VAT category stands, apart from the breakdown: rules 02 to 04 ask for identifiers, 05 to 07 for the rate. */
const PLACES = [
  { what: 'line (BT-151)', of: ({ lines }: Invoice) => lines.filter(({ isSummed }) => isSummed).map(({ tax }) => tax) },
  { what: 'document level allowance (BT-95)', of: (invoice: Invoice) => adjustmentTaxes(invoice, false) },
  { what: 'document level charge (BT-102)', of: (invoice: Invoice) => adjustmentTaxes(invoice, true) },
];

const adjustmentTaxes = ({ adjustments }: Invoice, isCharge: boolean): TaxCategory[] =>
  adjustments.filter((one) => one.isCharge === isCharge).map(({ tax }) => tax);

const breakdownsOf = ({ taxes }: Invoice, { code }: VatCategory): TaxTotal[] => taxes.filter(({ category }) => category === code);

const isUsed = (invoice: Invoice, { code }: VatCategory): boolean =>
  PLACES.some(({ of }) => of(invoice).some((tax) => tax.category === code));

const isRate = (rate: string | undefined, wanted: VatCategory['rate']): boolean => {
  if (wanted === 'absent') return rate === undefined;
  const value = parseDecimal(rate);
  if (value === undefined) return false;
  if (wanted === 'zero') return value.units === 0n;
  return wanted === 'positive' ? value.units > 0n : value.units >= 0n;
};

const rulesOf = (category: VatCategory): Rule[] => [
  breakdownRule(category),
  ...placeRules(category),
  ...amountRules(category),
  reasonRule(category),
];

const breakdownRule = (category: VatCategory): Rule => {
  const { prefix, name, breakdowns } = category;
  const wanted = breakdowns === 'one' ? 'exactly one VAT breakdown' : 'at least one VAT breakdown';
  return rule(`${prefix}-01`, `An invoice with the VAT category "${name}" has ${wanted} (BG-23) of it.`, (invoice) => {
    if (!isUsed(invoice, category)) return true;
    const { length } = breakdownsOf(invoice, category);
    return breakdowns === 'one' ? length === 1 : length > 0;
  });
};

const placeRules = (category: VatCategory): Rule[] =>
  PLACES.flatMap(({ what, of }, place) => {
    const taxesOf = (invoice: Invoice): TaxCategory[] => of(invoice).filter((tax) => tax.category === category.code);
    return [
      rule(
        `${category.prefix}-0${place + 2}`,
        `An invoice with a ${what} "${category.name}" has ${category.identifiers}.`,
        (invoice) => taxesOf(invoice).length === 0 || category.hasIdentifiers(invoice),
      ),
      rule(`${category.prefix}-0${place + 5}`, `The VAT rate of a ${what} "${category.name}" is ${category.rate}.`, (invoice) =>
        taxesOf(invoice).every(({ rate }) => isRate(rate, category.rate)),
      ),
    ];
  });

const amountRules = (category: VatCategory): Rule[] => [
  rule(
    `${category.prefix}-08`,
    `The taxable amount (BT-116) of "${category.name}" is the sum of line net amounts, less allowances, plus charges of that category and rate.`,
    (invoice) => {
      const sums = netAmounts(invoice, category.code);
      return breakdownsOf(invoice, category).every((tax) =>
        category.breakdowns === 'some'
          ? isNear(amountOf(tax.taxable), sums.get(rateKey(tax.rate)) ?? ZERO)
          : isEqual(roundToCents(amountOf(tax.taxable)), roundToCents(sums.get('all') ?? ZERO)),
      );
    },
  ),
  category.breakdowns === 'some'
    ? rule(`${category.prefix}-09`, `The tax amount (BT-117) of "${category.name}" is the taxable amount times the rate.`, (invoice) =>
        breakdownsOf(invoice, category).every(isTaxOfBase),
      )
    : rule(`${category.prefix}-09`, `The tax amount (BT-117) of "${category.name}" is zero.`, (invoice) =>
        breakdownsOf(invoice, category).every(({ amount }) => amountOf(amount).units === 0n),
      ),
];

const reasonRule = (category: VatCategory): Rule => {
  const { prefix, name, needsReason } = category;
  const message = `A VAT breakdown "${name}" has ${needsReason ? 'an' : 'no'} exemption reason (BT-120) or reason code (BT-121).`;
  return rule(`${prefix}-10`, message, (invoice) =>
    breakdownsOf(invoice, category).every((tax) => (isGiven(tax.exemptionReason) || isGiven(tax.exemptionCode)) === needsReason),
  );
};

/** What only one category asks for. */
const SPECIAL_RULES: readonly Rule[] = [
  rule(
    'BR-IC-11',
    'An intra-community supply has a delivery date (BT-72) or an invoicing period (BG-14).',
    (invoice) => !hasBreakdown(invoice, 'K') || isGiven(invoice.deliveryDate) || invoice.period !== undefined,
  ),
  rule(
    'BR-IC-12',
    'An intra-community supply has a deliver-to country code (BT-80).',
    (invoice) => !hasBreakdown(invoice, 'K') || isGiven(invoice.deliveryAddress?.country),
  ),
  rule(
    'BR-O-11',
    'An invoice that is not subject to VAT has no other VAT breakdown (BG-23).',
    (invoice) => !hasBreakdown(invoice, 'O') || invoice.taxes.length === 1,
  ),
  ...PLACES.map(({ what, of }, place) =>
    rule(
      `BR-O-${place + 12}`,
      `An invoice that is not subject to VAT has no ${what} of another VAT category.`,
      (invoice) => !hasBreakdown(invoice, 'O') || of(invoice).every(({ category }) => category === 'O'),
    ),
  ),
  rule(
    'BR-B-01',
    'Split payment is for domestic invoices of Italy.',
    (invoice) => !hasBreakdown(invoice, 'B') || [invoice.seller, invoice.buyer].every(({ address }) => address?.country === 'IT'),
  ),
  rule(
    'BR-B-02',
    'An invoice with split payment has no standard rated VAT.',
    (invoice) => !hasBreakdown(invoice, 'B') || !hasBreakdown(invoice, 'S'),
  ),
];

const hasBreakdown = ({ taxes }: Invoice, code: string): boolean => taxes.some(({ category }) => category === code);

export const VAT_RULES: readonly Rule[] = [...VAT_CATEGORIES.flatMap(rulesOf), ...SPECIAL_RULES];
