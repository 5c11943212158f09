import type { Address, Adjustment, EinvoiceDocument, Identifier, Line, Party, Period, TaxCategory, TaxTotal, Totals } from '../invoice.ts';
import { ciiDay } from '../values/day.ts';
import { all, at, attributeOf, textAt, textOf, type XmlNode } from '../xml/xml-node.ts';

/** Of the EXTENDED profile: lines that only group or explain others. */
const NOT_SUMMED = ['GROUP', 'INFORMATION'];

/** A ram:IncludedSupplyChainTradeLineItem (BG-25). In ZUGFeRD 1.0 one without a product is a remark between lines. */
export const ciiLine = (node: XmlNode, document: EinvoiceDocument): Line => {
  const about = at(node, 'AssociatedDocumentLineDocument');
  const product = at(node, 'SpecifiedTradeProduct');
  const agreement = at(node, 'SpecifiedLineTradeAgreement|SpecifiedSupplyChainTradeAgreement');
  const settlement = at(node, 'SpecifiedLineTradeSettlement|SpecifiedSupplyChainTradeSettlement');
  const quantity = at(node, 'SpecifiedLineTradeDelivery|SpecifiedSupplyChainTradeDelivery', 'BilledQuantity');
  const totals = at(settlement, 'SpecifiedTradeSettlementLineMonetarySummation|SpecifiedTradeSettlementMonetarySummation');
  const isRemark = document === 'ZUGFeRD 1' && product === undefined;
  return {
    id: textAt(about, 'LineID'),
    note: textAt(about, 'IncludedNote', 'Content'),
    name: textAt(product, 'Name'),
    description: textAt(product, 'Description'),
    sellerItemId: textAt(product, 'SellerAssignedID'),
    standardItemId: ciiIdentifier(at(product, 'GlobalID')),
    classifications: all(product, 'DesignatedProductClassification')
      .map((one) => ciiIdentifier(at(one, 'ClassCode')))
      .filter((one) => one !== undefined),
    itemAttributes: all(product, 'ApplicableProductCharacteristic').map((one) => ({
      name: textAt(one, 'Description'),
      value: textAt(one, 'Value|ValueMeasure'),
    })),
    quantity: textAt(quantity),
    unit: attributeOf(quantity, 'unitCode'),
    netPrice: textAt(agreement, 'NetPriceProductTradePrice', 'ChargeAmount'),
    grossPrice: textAt(agreement, 'GrossPriceProductTradePrice', 'ChargeAmount'),
    netAmount: textAt(totals, 'LineTotalAmount'),
    tax: ciiCategory(at(settlement, 'ApplicableTradeTax')),
    period: ciiPeriod(at(settlement, 'BillingSpecifiedPeriod')),
    adjustments: ciiAdjustments(settlement),
    isSummed: !isRemark && !NOT_SUMMED.includes(textAt(about, 'LineStatusReasonCode') ?? ''),
  };
};

/** A ram:BillingSpecifiedPeriod (BG-14, BG-26). */
export const ciiPeriod = (node: XmlNode | undefined): Period | undefined =>
  node && { start: dayAt(node, 'StartDateTime'), end: dayAt(node, 'EndDateTime') };

/** A date is an element in an element: udt:DateTimeString, qdt:DateTimeString, udt:DateTime or udt:DateString. */
export const dayAt = (node: XmlNode | undefined, ...path: readonly string[]): string | undefined =>
  ciiDay(textAt(node, ...path, 'DateTimeString|DateTime|DateString|Date'));

const ciiIdentifier = (node: XmlNode | undefined): Identifier | undefined => {
  const id = textOf(node);
  return id === undefined ? undefined : { id, scheme: attributeOf(node, 'schemeID') ?? attributeOf(node, 'listID') };
};

export const ciiAddress = (node: XmlNode | undefined): Address | undefined =>
  node && {
    lines: [textAt(node, 'LineOne'), textAt(node, 'LineTwo'), textAt(node, 'LineThree')].filter((line) => line !== undefined),
    city: textAt(node, 'CityName'),
    postcode: textAt(node, 'PostcodeCode'),
    subdivision: textAt(node, 'CountrySubDivisionName'),
    country: textAt(node, 'CountryID'),
  };

/** A ram:TradePartyType. */
export const ciiParty = (node: XmlNode | undefined): Party => {
  const legalName = textAt(node, 'Name');
  const tradingName = textAt(node, 'SpecifiedLegalOrganization', 'TradingBusinessName');
  const contact = at(node, 'DefinedTradeContact');
  return {
    name: legalName ?? tradingName,
    tradingName: legalName === undefined || tradingName === legalName ? undefined : tradingName,
    identifiers: [...all(node, 'ID'), ...all(node, 'GlobalID')].map(ciiIdentifier).filter((identifier) => identifier !== undefined),
    legalId: textAt(node, 'SpecifiedLegalOrganization', 'ID'),
    vatId: taxIdOf(node, 'VA'),
    taxId: taxIdOf(node, 'FC'),
    electronicAddress: ciiIdentifier(at(node, 'URIUniversalCommunication', 'URIID')),
    address: ciiAddress(at(node, 'PostalTradeAddress')),
    contact: contact && {
      name: textAt(contact, 'PersonName') ?? textAt(contact, 'DepartmentName'),
      phone: textAt(contact, 'TelephoneUniversalCommunication', 'CompleteNumber'),
      email: textAt(contact, 'EmailURIUniversalCommunication', 'URIID'),
    },
  };
};

/** VAT (BT-31, BT-48, BT-63) is VA or VAT; FC is a local registration (BT-32). */
const taxIdOf = (node: XmlNode | undefined, scheme: 'VA' | 'FC'): string | undefined =>
  all(node, 'SpecifiedTaxRegistration')
    .map((registration) => at(registration, 'ID'))
    .filter((id) => attributeOf(id, 'schemeID')?.toUpperCase().startsWith(scheme) ?? false)
    .map(textOf)
    .find((id) => id !== undefined);

/** A ram:TradeTaxType; ZUGFeRD 1.0 calls the rate otherwise. */
const ciiCategory = (node: XmlNode | undefined): TaxCategory => ({
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
