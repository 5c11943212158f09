import type { Adjustment, TaxCategory, TaxTotal, Totals } from '../invoice.ts';
import { all, at, attributeOf, textAt, textOf, type XmlNode } from '../xml/xml-node.ts';

export const ublCategory = (node: XmlNode | undefined): TaxCategory => ({ category: textAt(node, 'ID'), rate: textAt(node, 'Percent') });

/** Allowances and charges of a document or a line. */
export const ublAdjustments = (node: XmlNode): Adjustment[] =>
  all(node, 'AllowanceCharge').map((one) => ({
    isCharge: ['true', '1'].includes(textAt(one, 'ChargeIndicator') ?? ''),
    amount: textAt(one, 'Amount'),
    base: textAt(one, 'BaseAmount'),
    percent: textAt(one, 'MultiplierFactorNumeric'),
    reason: textAt(one, 'AllowanceChargeReason'),
    reasonCode: textAt(one, 'AllowanceChargeReasonCode'),
    tax: ublCategory(at(one, 'TaxCategory')),
  }));

export const ublTaxes = (root: XmlNode): TaxTotal[] =>
  all(root, 'TaxTotal')
    .flatMap((total) => all(total, 'TaxSubtotal'))
    .map((subtotal) => {
      const category = at(subtotal, 'TaxCategory');
      return {
        ...ublCategory(category),
        taxable: textAt(subtotal, 'TaxableAmount'),
        amount: textAt(subtotal, 'TaxAmount'),
        exemptionReason: textAt(category, 'TaxExemptionReason'),
        exemptionCode: textAt(category, 'TaxExemptionReasonCode'),
      };
    });

export const ublTotals = (root: XmlNode): Totals => {
  const totals = at(root, 'LegalMonetaryTotal');
  return {
    lines: textAt(totals, 'LineExtensionAmount'),
    allowances: textAt(totals, 'AllowanceTotalAmount'),
    charges: textAt(totals, 'ChargeTotalAmount'),
    net: textAt(totals, 'TaxExclusiveAmount'),
    ...taxTotals(root),
    grandTotal: textAt(totals, 'TaxInclusiveAmount'),
    prepaid: textAt(totals, 'PrepaidAmount'),
    rounding: textAt(totals, 'PayableRoundingAmount'),
    payable: textAt(totals, 'PayableAmount'),
  };
};

/** There are two TaxTotal where VAT is accounted for in another currency (BT-6). */
const taxTotals = (root: XmlNode): Pick<Totals, 'tax' | 'taxInTaxCurrency'> => {
  const currency = textAt(root, 'DocumentCurrencyCode');
  const taxCurrency = textAt(root, 'TaxCurrencyCode');
  const totals = all(root, 'TaxTotal').map((total) => at(total, 'TaxAmount'));
  const inCurrency = (wanted: string | undefined): XmlNode | undefined =>
    wanted === undefined ? undefined : totals.find((amount) => attributeOf(amount, 'currencyID') === wanted);
  const tax =
    inCurrency(currency) ?? totals.find((amount) => taxCurrency === undefined || attributeOf(amount, 'currencyID') !== taxCurrency);
  const other = taxCurrency === currency ? undefined : inCurrency(taxCurrency);
  return { tax: textOf(tax), taxInTaxCurrency: textOf(other) };
};
