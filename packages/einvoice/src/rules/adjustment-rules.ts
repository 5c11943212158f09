import type { Adjustment, DecimalText, Invoice, Line, Party } from '../invoice.ts';
import { type Decimal, parseDecimal, roundToCents, subtract, ZERO } from '../values/values.ts';

/** A business rule of EN 16931-1. */
export interface Rule {
  /** Such as `BR-CO-10`. */
  readonly code: string;
  /** What it asks for, in English. */
  readonly message: string;
  /** Whether an invoice keeps it. */
  readonly holds: (invoice: Invoice) => boolean;
}

export const rule = (code: string, message: string, holds: Rule['holds']): Rule => ({ code, message, holds });

export const isGiven = (value: string | undefined): value is string => value !== undefined;

/** A missing amount counts as nothing in a sum. */
export const amountOf = (text: DecimalText | undefined): Decimal => parseDecimal(text) ?? ZERO;

export const isDecimal = (text: DecimalText | undefined): boolean => parseDecimal(text) !== undefined;

const isNegative = (text: DecimalText | undefined): boolean => amountOf(text).units < 0n;

export const isPositive = (text: DecimalText | undefined): boolean => amountOf(text).units > 0n;

type Level = 'document' | 'line';

const adjustmentsOf = ({ adjustments, lines }: Invoice, level: Level): readonly Adjustment[] =>
  level === 'document' ? adjustments : lines.flatMap((line) => line.adjustments);

const each = (code: string, message: string, level: Level, isCharge: boolean, holds: (adjustment: Adjustment) => boolean): Rule =>
  rule(code, message, (invoice) => adjustmentsOf(invoice, level).every((one) => one.isCharge !== isCharge || holds(one)));

const hasAmount = ({ amount }: Adjustment): boolean => isDecimal(amount);
const hasCategory = ({ tax }: Adjustment): boolean => isGiven(tax.category);
const hasReason = ({ reason, reasonCode }: Adjustment): boolean => isGiven(reason) || isGiven(reasonCode);

/** The standard asks for a reason twice, under two codes; both are reported. */
export const ADJUSTMENT_RULES: readonly Rule[] = [
  each('BR-31', 'A document level allowance has an amount (BT-92).', 'document', false, hasAmount),
  each('BR-32', 'A document level allowance has a VAT category code (BT-95).', 'document', false, hasCategory),
  each('BR-33', 'A document level allowance has a reason (BT-97) or a reason code (BT-98).', 'document', false, hasReason),
  each('BR-36', 'A document level charge has an amount (BT-99).', 'document', true, hasAmount),
  each('BR-37', 'A document level charge has a VAT category code (BT-102).', 'document', true, hasCategory),
  each('BR-38', 'A document level charge has a reason (BT-104) or a reason code (BT-105).', 'document', true, hasReason),
  each('BR-41', 'An allowance of a line has an amount (BT-136).', 'line', false, hasAmount),
  each('BR-42', 'An allowance of a line has a reason (BT-139) or a reason code (BT-140).', 'line', false, hasReason),
  each('BR-43', 'A charge of a line has an amount (BT-141).', 'line', true, hasAmount),
  each('BR-44', 'A charge of a line has a reason (BT-144) or a reason code (BT-145).', 'line', true, hasReason),
  each('BR-CO-21', 'A document level allowance has a reason (BT-97), a reason code (BT-98) or both.', 'document', false, hasReason),
  each('BR-CO-22', 'A document level charge has a reason (BT-104), a reason code (BT-105) or both.', 'document', true, hasReason),
  each('BR-CO-23', 'An allowance of a line has a reason (BT-139), a reason code (BT-140) or both.', 'line', false, hasReason),
  each('BR-CO-24', 'A charge of a line has a reason (BT-144), a reason code (BT-145) or both.', 'line', true, hasReason),
];

/** A rule that each line of an invoice has to keep. Headings and remarks between them are no lines of EN 16931. */
const lineRule = (code: string, message: string, holds: (line: Line) => boolean): Rule =>
  rule(code, message, ({ lines }) => lines.every((line) => !line.isSummed || holds(line)));

export const LINE_RULES: readonly Rule[] = [
  rule('BR-16', 'An invoice has at least one line (BG-25).', ({ lines }) => lines.length > 0),
  lineRule('BR-21', 'A line has an identifier (BT-126).', ({ id }) => isGiven(id)),
  lineRule('BR-22', 'A line has an invoiced quantity (BT-129).', ({ quantity }) => isDecimal(quantity)),
  lineRule('BR-23', 'The quantity of a line has a unit of measure (BT-130).', ({ unit }) => isGiven(unit)),
  lineRule('BR-24', 'A line has a net amount (BT-131).', ({ netAmount }) => isDecimal(netAmount)),
  lineRule('BR-25', 'The item of a line has a name (BT-153).', ({ name }) => isGiven(name)),
  lineRule('BR-26', 'A line has an item net price (BT-146).', ({ netPrice }) => isDecimal(netPrice)),
  lineRule('BR-27', 'An item net price (BT-146) is not negative.', ({ netPrice }) => !isNegative(netPrice)),
  lineRule('BR-28', 'An item gross price (BT-148) is not negative.', ({ grossPrice }) => !isNegative(grossPrice)),
  lineRule(
    'BR-30',
    'The invoicing period of a line (BG-26) does not end before it starts.',
    ({ period }) => period?.start === undefined || period.end === undefined || period.start <= period.end,
  ),
  lineRule('BR-54', 'An item attribute (BG-32) has a name (BT-160) and a value (BT-161).', ({ itemAttributes }) =>
    itemAttributes.every(({ name, value }) => isGiven(name) && isGiven(value)),
  ),
  lineRule(
    'BR-64',
    'An item standard identifier (BT-157) has a scheme identifier.',
    ({ standardItemId }) => standardItemId === undefined || isGiven(standardItemId.scheme),
  ),
  lineRule('BR-65', 'An item classification identifier (BT-158) has a scheme identifier.', ({ classifications }) =>
    classifications.every(({ scheme }) => isGiven(scheme)),
  ),
  lineRule('BR-CO-04', 'A line has a VAT category code (BT-151).', ({ tax }) => isGiven(tax.category)),
  lineRule(
    'BR-CO-20',
    'The invoicing period of a line (BG-26) has a start date (BT-134), an end date (BT-135) or both.',
    ({ period }) => period === undefined || isGiven(period.start) || isGiven(period.end),
  ),
];

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

/** Of UNTDID 1001 what EN 16931 takes for an invoice or a credit note. */
const TYPE_CODES = new Set(
  `71 80 81 82 83 84 102 130 202 203 204 211 218 219 261 262 295 296 308 325 326 331 380 381 382 383 384 385 386 387 388 389 390 393
   394 395 396 420 456 457 458 471 472 473 500 501 502 503 527 532 553 575 623 633 751 780 817 870 875 876 877 935`.split(/\s+/),
);
/** Of UNTDID 5305. L and M are the Canary Islands and Ceuta and Melilla, B is the split payment of Italy. */
const CATEGORIES = new Set(['S', 'Z', 'E', 'AE', 'K', 'G', 'O', 'L', 'M', 'B']);
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));
const COUNTRY = /^[A-Z]{2}$/;
const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
/** Kosovo, which has no code of ISO 3166-1. */
const KOSOVO = ['1A', 'XK'];
/** Greece and Northern Ireland, whose VAT identifiers have other prefixes. */
const VAT_PREFIXES = ['EL', 'XI'];

const isCountry = (code: string | undefined): boolean =>
  code === undefined || KOSOVO.includes(code) || (COUNTRY.test(code) && COUNTRY_NAMES.of(code) !== undefined);

const isCurrency = (code: string | undefined): boolean => code === undefined || CURRENCIES.has(code);

const hasCountryPrefix = (party: Party | undefined): boolean => {
  const prefix = party?.vatId?.slice(0, 2);
  return prefix === undefined || VAT_PREFIXES.includes(prefix) || isCountry(prefix);
};

const countriesOf = ({ seller, buyer, taxRepresentative, deliveryAddress }: Invoice): (string | undefined)[] =>
  [seller.address, buyer.address, taxRepresentative?.address, deliveryAddress].map((address) => address?.country);

const categoriesOf = ({ lines, adjustments, taxes }: Invoice): (string | undefined)[] => [
  ...lines.map(({ tax }) => tax.category),
  ...adjustments.map(({ tax }) => tax.category),
  ...taxes.map(({ category }) => category),
];

/** BR-CL: values are of their code lists. Lists that change often or are very long are left to the receiver's own check. */
export const CODE_RULES: readonly Rule[] = [
  rule(
    'BR-CL-01',
    'The invoice type code (BT-3) is one of UNTDID 1001 for invoices.',
    ({ typeCode }) => typeCode === undefined || TYPE_CODES.has(typeCode),
  ),
  rule('BR-CL-04', 'The invoice currency code (BT-5) is one of ISO 4217.', ({ currency }) => isCurrency(currency)),
  rule('BR-CL-05', 'The VAT accounting currency code (BT-6) is one of ISO 4217.', ({ taxCurrency }) => isCurrency(taxCurrency)),
  rule('BR-CL-14', 'Country codes are of ISO 3166-1.', (invoice) => countriesOf(invoice).every(isCountry)),
  rule('BR-CL-17', 'VAT category codes are of UNTDID 5305.', (invoice) =>
    categoriesOf(invoice).every((category) => category === undefined || CATEGORIES.has(category)),
  ),
  rule('BR-CO-09', 'A VAT identifier (BT-31, BT-48, BT-63) begins with a country code.', ({ seller, buyer, taxRepresentative }) =>
    [seller, buyer, taxRepresentative].every(hasCountryPrefix),
  ),
];
