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
    .filter((total) => !isInTaxCurrency(root, at(total, 'TaxAmount')))
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

/** Whether it is VAT in an accounting currency (BT-6) that is not the one of the invoice. */
const isInTaxCurrency = (root: XmlNode, amount: XmlNode | undefined): boolean => {
  const taxCurrency = textAt(root, 'TaxCurrencyCode');
  return (
    taxCurrency !== undefined && taxCurrency !== textAt(root, 'DocumentCurrencyCode') && attributeOf(amount, 'currencyID') === taxCurrency
  );
};

const taxTotals = (root: XmlNode): Pick<Totals, 'tax' | 'taxInTaxCurrency'> => {
  const amounts = all(root, 'TaxTotal').map((total) => at(total, 'TaxAmount'));
  const currency = textAt(root, 'DocumentCurrencyCode');
  const own = amounts.filter((amount) => !isInTaxCurrency(root, amount));
  return {
    tax: textOf(own.find((amount) => attributeOf(amount, 'currencyID') === currency) ?? own[0]),
    taxInTaxCurrency: textOf(amounts.find((amount) => isInTaxCurrency(root, amount))),
  };
};
