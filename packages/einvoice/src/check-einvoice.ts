import type { Invoice } from './invoice.ts';
import { isDecimal } from './rules/rule.ts';
import { TOTAL_RULES } from './rules/total-rules.ts';
import { type Violation, validateEinvoice } from './validate-einvoice.ts';

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
