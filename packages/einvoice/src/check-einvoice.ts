import type { Invoice, Party, Period } from './invoice.ts';
import {
  ADJUSTMENT_RULES,
  CODE_RULES,
  DECIMAL_RULES,
  isDecimal,
  isGiven,
  isPositive,
  LINE_RULES,
  type Rule,
  rule,
} from './rules/adjustment-rules.ts';
import { BREAKDOWN_RULES, TOTAL_RULES, VAT_RULES } from './rules/vat-rules.ts';

const isOrdered = (period: Period | undefined): boolean =>
  period?.start === undefined || period.end === undefined || period.start <= period.end;

const hasBound = (period: Period | undefined): boolean => period === undefined || isGiven(period.start) || isGiven(period.end);

const CREDIT_TRANSFERS = ['30', '58'];
/** Digits and masking characters, as the official validation artefacts count them. */
const MAX_CARD_CHARS = 10;

/** Of the document as a whole: what has to be there. */
export const DOCUMENT_RULES: readonly Rule[] = [
  rule('BR-01', 'An invoice has a specification identifier (BT-24).', ({ profileId }) => isGiven(profileId)),
  rule('BR-02', 'An invoice has an invoice number (BT-1).', ({ number }) => isGiven(number)),
  rule('BR-03', 'An invoice has an issue date (BT-2).', ({ issueDate }) => isGiven(issueDate)),
  rule('BR-04', 'An invoice has an invoice type code (BT-3).', ({ typeCode }) => isGiven(typeCode)),
  rule('BR-05', 'An invoice has an invoice currency code (BT-5).', ({ currency }) => isGiven(currency)),
  rule('BR-29', 'The invoicing period (BG-14) does not end before it starts.', ({ period }) => isOrdered(period)),
  rule('BR-49', 'Payment instructions (BG-16) have a payment means type code (BT-81).', ({ paymentMeans }) =>
    paymentMeans.every(({ code }) => isGiven(code)),
  ),
  rule('BR-50', 'A credit transfer (BG-17) has a payment account identifier (BT-84).', ({ paymentMeans }) =>
    paymentMeans.every(({ accounts }) => accounts.every(({ id }) => isGiven(id))),
  ),
  rule('BR-51', 'A payment card (BG-18) has only the last digits of its number (BT-87).', ({ paymentMeans }) =>
    paymentMeans.every(({ cardNumber }) => (cardNumber?.length ?? 0) <= MAX_CARD_CHARS),
  ),
  rule('BR-52', 'An additional supporting document (BG-24) has a reference (BT-122).', ({ attachments }) =>
    attachments.every(({ reference }) => isGiven(reference)),
  ),
  rule(
    'BR-53',
    'With a VAT accounting currency (BT-6), the VAT total in that currency (BT-111) is given.',
    ({ taxCurrency, currency, totals }) => taxCurrency === undefined || taxCurrency === currency || isGiven(totals.taxInTaxCurrency),
  ),
  rule('BR-55', 'A preceding invoice reference (BG-3) has an invoice number (BT-25).', ({ precedingInvoices }) =>
    precedingInvoices.every(isGiven),
  ),
  rule(
    'BR-57',
    'A deliver-to address (BG-15) has a country code (BT-80).',
    ({ deliveryAddress }) => deliveryAddress === undefined || isGiven(deliveryAddress.country),
  ),
  rule('BR-61', 'For a credit transfer (BT-81 is 30 or 58), the payment account identifier (BT-84) is given.', ({ paymentMeans }) =>
    paymentMeans
      .filter(({ code }) => CREDIT_TRANSFERS.includes(code ?? ''))
      .every(({ accounts }) => accounts.some(({ id }) => isGiven(id))),
  ),
  rule(
    'BR-CO-03',
    'VAT point date (BT-7) and VAT point date code (BT-8) exclude each other.',
    ({ taxPointDate, taxPointCode }) => taxPointDate === undefined || taxPointCode === undefined,
  ),
  rule('BR-CO-19', 'An invoicing period (BG-14) has a start date (BT-73), an end date (BT-74) or both.', ({ period }) => hasBound(period)),
  rule(
    'BR-CO-25',
    'If the amount due (BT-115) is positive, the due date (BT-9) or the payment terms (BT-20) are given.',
    isDateOfPaymentGiven,
  ),
];

function isDateOfPaymentGiven({ totals, dueDate, paymentTerms }: Invoice): boolean {
  return !isPositive(totals.payable) || isGiven(dueDate) || isGiven(paymentTerms);
}

const hasScheme = (party: Party): boolean => party.electronicAddress === undefined || isGiven(party.electronicAddress.scheme);

/** Of seller, buyer, payee and tax representative. */
export const PARTY_RULES: readonly Rule[] = [
  rule('BR-06', 'An invoice has the name of the seller (BT-27).', ({ seller }) => isGiven(seller.name)),
  rule('BR-07', 'An invoice has the name of the buyer (BT-44).', ({ buyer }) => isGiven(buyer.name)),
  rule('BR-08', 'An invoice has the postal address of the seller (BG-5).', ({ seller }) => seller.address !== undefined),
  rule(
    'BR-09',
    'The postal address of the seller has a country code (BT-40).',
    ({ seller }) => !seller.address || isGiven(seller.address.country),
  ),
  rule('BR-10', 'An invoice has the postal address of the buyer (BG-8).', ({ buyer }) => buyer.address !== undefined),
  rule(
    'BR-11',
    'The postal address of the buyer has a country code (BT-55).',
    ({ buyer }) => !buyer.address || isGiven(buyer.address.country),
  ),
  rule('BR-17', 'A payee (BG-10) has a name (BT-59).', ({ payee }) => payee === undefined || isGiven(payee.name)),
  rule('BR-18', 'A tax representative (BG-11) has a name (BT-62).', ({ taxRepresentative: party }) => !party || isGiven(party.name)),
  rule(
    'BR-19',
    'A tax representative (BG-11) has a postal address (BG-12).',
    ({ taxRepresentative: party }) => !party || party.address !== undefined,
  ),
  rule(
    'BR-20',
    'The postal address of a tax representative has a country code (BT-69).',
    ({ taxRepresentative: party }) => party?.address === undefined || isGiven(party.address.country),
  ),
  rule(
    'BR-56',
    'A tax representative (BG-11) has a VAT identifier (BT-63).',
    ({ taxRepresentative: party }) => !party || isGiven(party.vatId),
  ),
  rule('BR-62', 'The electronic address of the seller (BT-34) has a scheme identifier.', ({ seller }) => hasScheme(seller)),
  rule('BR-63', 'The electronic address of the buyer (BT-49) has a scheme identifier.', ({ buyer }) => hasScheme(buyer)),
  rule(
    'BR-CO-26',
    'The seller has an identifier (BT-29), a legal registration identifier (BT-30) or a VAT identifier (BT-31).',
    ({ seller }) => seller.identifiers.length > 0 || isGiven(seller.legalId) || isGiven(seller.vatId),
  ),
];

export interface Violation {
  /** The rule of EN 16931, such as `BR-CO-10`. */
  readonly code: string;
  readonly message: string;
}

/** Every rule that is checked, in the order in which violations are listed. */
export const RULES: readonly Rule[] = [
  ...DOCUMENT_RULES,
  ...PARTY_RULES,
  ...LINE_RULES,
  ...ADJUSTMENT_RULES,
  ...TOTAL_RULES,
  ...BREAKDOWN_RULES,
  ...VAT_RULES,
  ...DECIMAL_RULES,
  ...CODE_RULES,
];

/** Profiles of Factur-X that are no invoices of EN 16931, because they leave out lines. */
const WITHOUT_LINES = ['MINIMUM', 'BASIC WL'];
const ABOUT_LINES = new Set([...LINE_RULES.map(({ code }) => code), 'BR-CO-10']);
const SUM_OF_LINES = /^BR-[A-Z]+-08$/;
/** What MINIMUM has no elements for. */
const NOT_IN_MINIMUM = new Set(['BR-10', 'BR-11', 'BR-12', 'BR-CO-13', 'BR-CO-14', 'BR-CO-16', 'BR-CO-18', 'BR-CO-25']);

/**
 * The business rules of EN 16931-1 that an invoice breaks, each once; none: it keeps all that are checked. That is no proof of validity:
 * the rules of countries and networks (XRechnung, Peppol), most code lists and the order of elements are not checked. Profiles without
 * lines are measured by what they can hold.
 */
export const validateEinvoice = (invoice: Invoice): Violation[] =>
  RULES.filter(({ code }) => applies(code, invoice))
    .filter(({ holds }) => !holds(invoice))
    .map(({ code, message }) => ({ code, message }));

/** The extension of XRechnung, whose rule BR-DEX-09 counts payments of third parties in the place of BR-CO-16. */
const XRECHNUNG_EXTENSION = 'kosit:extension:';

const applies = (code: string, { profile, profileId }: Invoice): boolean => {
  if (code === 'BR-CO-16' && profileId?.includes(XRECHNUNG_EXTENSION)) return false;
  if (profile === 'MINIMUM' && NOT_IN_MINIMUM.has(code)) return false;
  return !WITHOUT_LINES.includes(profile ?? '') || !(ABOUT_LINES.has(code) || SUM_OF_LINES.test(code));
};

/** `en16931`: its business rules. `sums`: whether the amounts add up, for formats that are older than EN 16931. */
export type RuleSet = 'en16931' | 'sums';

export interface EinvoiceCheck {
  readonly ruleSet: RuleSet;
  readonly violations: readonly Violation[];
}

const hasLineAmounts = ({ totals, lines }: Invoice): boolean =>
  isDecimal(totals.lines) && lines.length > 0 && lines.filter(({ isSummed }) => isSummed).every(({ netAmount }) => isDecimal(netAmount));

const lists =
  (isCharge: boolean) =>
  ({ adjustments }: Invoice): boolean =>
    adjustments.some((one) => one.isCharge === isCharge);

/** The sums of the totals, and where their parts are stated: the small profiles of ZUGFeRD 1.0 leave out most of them. */
const SUMS: Readonly<Record<string, (invoice: Invoice) => boolean>> = {
  'BR-CO-10': hasLineAmounts,
  'BR-CO-11': lists(false),
  'BR-CO-12': lists(true),
  'BR-CO-13': ({ totals }) => isDecimal(totals.lines) && isDecimal(totals.net),
  'BR-CO-14': ({ totals, taxes }) => isDecimal(totals.tax) && taxes.length > 0,
  'BR-CO-15': ({ totals }) => isDecimal(totals.net) && isDecimal(totals.grandTotal),
  'BR-CO-16': ({ totals }) => isDecimal(totals.grandTotal) && isDecimal(totals.payable),
};

const checkSums = (invoice: Invoice): Violation[] =>
  TOTAL_RULES.filter(({ code, holds }) => SUMS[code]?.(invoice) === true && !holds(invoice)).map(({ code, message }) => ({
    code,
    message,
  }));

/** An invoice by the rules that it was made for: ZUGFeRD 1.0 is older than EN 16931, so only its sums are checked. */
export const checkEinvoice = (invoice: Invoice): EinvoiceCheck =>
  invoice.document === 'ZUGFeRD 1'
    ? { ruleSet: 'sums', violations: checkSums(invoice) }
    : { ruleSet: 'en16931', violations: validateEinvoice(invoice) };
