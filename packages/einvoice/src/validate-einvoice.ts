import type { Invoice } from './invoice.ts';
import { ADJUSTMENT_RULES } from './rules/adjustment-rules.ts';
import { CODE_RULES } from './rules/code-rules.ts';
import { DECIMAL_RULES } from './rules/decimal-rules.ts';
import { DOCUMENT_RULES, PARTY_RULES } from './rules/document-rules.ts';
import { LINE_RULES } from './rules/line-rules.ts';
import type { Rule } from './rules/rule.ts';
import { BREAKDOWN_RULES, TOTAL_RULES } from './rules/total-rules.ts';
import { VAT_RULES } from './rules/vat-rules.ts';

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
