import type { Invoice } from './invoice.ts';
import { ADJUSTMENT_RULES, CODE_RULES, DECIMAL_RULES, isDecimal, LINE_RULES, type Rule } from './rules/adjustment-rules.ts';
import { DOCUMENT_RULES, PARTY_RULES } from './rules/document-rules.ts';
import { BREAKDOWN_RULES, TOTAL_RULES, VAT_RULES } from './rules/vat-rules.ts';

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
