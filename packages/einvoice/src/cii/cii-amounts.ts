import type { Adjustment, TaxCategory, TaxTotal, Totals } from '../invoice.ts';
import { all, at, attributeOf, textAt, textOf, type XmlNode } from '../xml/xml-node.ts';

/** A ram:TradeTaxType; ZUGFeRD 1.0 calls the rate otherwise. */
export const ciiCategory = (node: XmlNode | undefined): TaxCategory => ({
  category: textAt(node, 'CategoryCode'),
  rate: textAt(node, 'RateApplicablePercent|ApplicablePercent'),
});

/** Allowances and charges of a settlement, of the document or a line, and what ZUGFeRD adds for freight. */
export const ciiAdjustments = (settlement: XmlNode | undefined): Adjustment[] => [
  ...all(settlement, 'SpecifiedTradeAllowanceCharge').map((one) => ({
    isCharge: ['true', '1'].includes(textAt(one, 'ChargeIndicator', 'Indicator') ?? textAt(one, 'ChargeIndicator') ?? ''),
    amount: textAt(one, 'ActualAmount'),
    base: textAt(one, 'BasisAmount'),
    percent: textAt(one, 'CalculationPercent'),
    reason: textAt(one, 'Reason'),
    reasonCode: textAt(one, 'ReasonCode'),
    tax: ciiCategory(at(one, 'CategoryTradeTax')),
  })),
  ...all(settlement, 'SpecifiedLogisticsServiceCharge').map((one) => ({
    isCharge: true,
    amount: textAt(one, 'AppliedAmount'),
    base: undefined,
    percent: undefined,
    reason: textAt(one, 'Description'),
    reasonCode: undefined,
    tax: ciiCategory(at(one, 'AppliedTradeTax')),
  })),
];

export const ciiTaxes = (settlement: XmlNode | undefined): TaxTotal[] =>
  all(settlement, 'ApplicableTradeTax').map((tax) => ({
    ...ciiCategory(tax),
    taxable: textAt(tax, 'BasisAmount'),
    amount: textAt(tax, 'CalculatedAmount'),
    exemptionReason: textAt(tax, 'ExemptionReason'),
    exemptionCode: textAt(tax, 'ExemptionReasonCode'),
  }));

export const ciiTotals = (settlement: XmlNode | undefined): Totals => {
  const currency = textAt(settlement, 'InvoiceCurrencyCode');
  const taxCurrency = textAt(settlement, 'TaxCurrencyCode');
  const totals = at(settlement, 'SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation');
  const amount = (name: string): string | undefined => inCurrency(all(totals, name), currency, taxCurrency);
  return {
    lines: amount('LineTotalAmount'),
    allowances: amount('AllowanceTotalAmount'),
    charges: amount('ChargeTotalAmount'),
    net: amount('TaxBasisTotalAmount'),
    tax: amount('TaxTotalAmount'),
    taxInTaxCurrency: taxInTaxCurrency(totals, currency, taxCurrency),
    grandTotal: amount('GrandTotalAmount'),
    prepaid: amount('TotalPrepaidAmount'),
    rounding: amount('RoundingAmount'),
    payable: amount('DuePayableAmount'),
  };
};

/** A total may be there once per currency; the one of the invoice names that currency, or none. */
const inCurrency = (amounts: readonly XmlNode[], currency: string | undefined, taxCurrency: string | undefined): string | undefined => {
  const currencyOf = (amount: XmlNode): string | undefined => attributeOf(amount, 'currencyID');
  const own = amounts.find((amount) => currencyOf(amount) !== undefined && currencyOf(amount) === currency);
  return textOf(own ?? amounts.find((amount) => taxCurrency === undefined || currencyOf(amount) !== taxCurrency) ?? amounts[0]);
};

const taxInTaxCurrency = (
  totals: XmlNode | undefined,
  currency: string | undefined,
  taxCurrency: string | undefined,
): string | undefined =>
  taxCurrency === undefined || taxCurrency === currency
    ? undefined
    : textOf(all(totals, 'TaxTotalAmount').find((amount) => attributeOf(amount, 'currencyID') === taxCurrency));
