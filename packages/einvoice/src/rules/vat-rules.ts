import type { Adjustment, Invoice, TaxCategory, TaxTotal } from '../invoice.ts';
import {
  add,
  compare,
  type Decimal,
  isEqual,
  negate,
  parseDecimal,
  percentOf,
  roundToCents,
  subtract,
  sum,
  ZERO,
} from '../values/values.ts';
import { amountOf, isDecimal, isGiven, type Rule, rule } from './adjustment-rules.ts';

/** What EN 16931-1, 6.4.3 asks of one VAT category. */
interface VatCategory {
  /** UNTDID 5305 (BT-151). */
  readonly code: string;
  /** Of the codes of its rules. */
  readonly prefix: string;
  readonly name: string;
  /** `one`: a single breakdown for all rates, which are zero or absent. `some`: one for each rate. */
  readonly breakdowns: 'one' | 'some';
  readonly rate: 'positive' | 'not negative' | 'zero' | 'absent';
  readonly needsReason: boolean;
  readonly identifiers: string;
  readonly hasIdentifiers: (invoice: Invoice) => boolean;
}

const hasVatId = ({ seller, taxRepresentative }: Invoice): boolean => isGiven(seller.vatId) || isGiven(taxRepresentative?.vatId);

const hasTaxId = (invoice: Invoice): boolean => hasVatId(invoice) || isGiven(invoice.seller.taxId);

const isTaxed = {
  breakdowns: 'some',
  needsReason: false,
  identifiers: 'a seller VAT identifier (BT-31), tax registration (BT-32) or tax representative VAT identifier (BT-63)',
  hasIdentifiers: hasTaxId,
} as const;

const isUntaxed = { ...isTaxed, breakdowns: 'one', rate: 'zero', needsReason: true } as const;

/** The Canary Islands and Ceuta and Melilla have rule codes of the validation artefacts, BR-AF and BR-AG. */
const VAT_CATEGORIES: readonly VatCategory[] = [
  { ...isTaxed, code: 'S', prefix: 'BR-S', name: 'Standard rated', rate: 'positive' },
  { ...isUntaxed, code: 'Z', prefix: 'BR-Z', name: 'Zero rated', needsReason: false },
  { ...isUntaxed, code: 'E', prefix: 'BR-E', name: 'Exempt from VAT' },
  {
    ...isUntaxed,
    code: 'AE',
    prefix: 'BR-AE',
    name: 'Reverse charge',
    identifiers: `${isTaxed.identifiers}, and a buyer VAT identifier (BT-48) or legal registration (BT-47)`,
    hasIdentifiers: (invoice) => hasTaxId(invoice) && (isGiven(invoice.buyer.vatId) || isGiven(invoice.buyer.legalId)),
  },
  {
    ...isUntaxed,
    code: 'K',
    prefix: 'BR-IC',
    name: 'Intra-community supply',
    identifiers: 'a seller (BT-31) or tax representative (BT-63) VAT identifier, and a buyer VAT identifier (BT-48)',
    hasIdentifiers: (invoice) => hasVatId(invoice) && isGiven(invoice.buyer.vatId),
  },
  {
    ...isUntaxed,
    code: 'G',
    prefix: 'BR-G',
    name: 'Export outside the EU',
    identifiers: 'a seller (BT-31) or tax representative (BT-63) VAT identifier',
    hasIdentifiers: hasVatId,
  },
  {
    ...isUntaxed,
    code: 'O',
    prefix: 'BR-O',
    name: 'Not subject to VAT',
    rate: 'absent',
    identifiers: 'no VAT identifier of seller (BT-31), tax representative (BT-63) or buyer (BT-48)',
    hasIdentifiers: (invoice) => !hasVatId(invoice) && !isGiven(invoice.buyer.vatId),
  },
  { ...isTaxed, code: 'L', prefix: 'BR-AF', name: 'Canary Islands IGIC', rate: 'not negative' },
  { ...isTaxed, code: 'M', prefix: 'BR-AG', name: 'Ceuta and Melilla IPSI', rate: 'not negative' },
];

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

/** A rate without zeros at its end, so that 19 and 19.00 are one rate. */
const rateKey = (rate: string | undefined): string => {
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
const netAmounts = ({ lines, adjustments }: Invoice, category: string): ReadonlyMap<string, Decimal> => {
  const sums = new Map<string, Decimal>();
  const count = (tax: TaxCategory, amount: Decimal): void => {
    if (tax.category !== category) return;
    for (const key of ['all', rateKey(tax.rate)]) sums.set(key, add(sums.get(key) ?? ZERO, amount));
  };
  for (const { isSummed, tax, netAmount } of lines) if (isSummed) count(tax, amountOf(netAmount));
  for (const { isCharge, tax, amount } of adjustments) count(tax, isCharge ? amountOf(amount) : negate(amountOf(amount)));
  return sums;
};

const sumOf = (adjustments: readonly Adjustment[], isCharge: boolean): Decimal =>
  sum(adjustments.filter((one) => one.isCharge === isCharge).map(({ amount }) => amountOf(amount)));

const equalsInCents = (a: Decimal, b: Decimal): boolean => isEqual(roundToCents(a), roundToCents(b));

/** The official validation artefacts let VAT differ from the product of amount and rate by less than this, for taxes rounded per line. */
const ONE: Decimal = { units: 1n, scale: 0 };

/** Whether they differ by less than one unit of the currency. */
const isNear = (a: Decimal, b: Decimal): boolean => {
  const difference = subtract(a, b);
  return compare(difference, ONE) < 0 && compare(difference, { units: -1n, scale: 0 }) > 0;
};

/** Whether the VAT is what the taxable amount gives at the rate. */
const isTaxOfBase = ({ taxable, rate, amount }: TaxTotal): boolean =>
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
