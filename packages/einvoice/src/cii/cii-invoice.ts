import type {
  Address,
  Adjustment,
  Attachment,
  EinvoiceDocument,
  Identifier,
  Invoice,
  Line,
  Party,
  PaymentMeans,
  Period,
  TaxCategory,
  TaxTotal,
  Totals,
} from '../invoice.ts';
import { type AttachmentReader, chooseIban, ciiDay, makeAccount, profileOf } from '../values/values.ts';
import { all, at, attributeOf, textAt, textOf, type XmlNode } from '../xml/xml-tree-reader.ts';

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

/** BG-16. The payment reference (BT-83) and the mandate (BT-89) are there once for all of them. */
const ciiPaymentMeans = (settlement: XmlNode | undefined): PaymentMeans[] =>
  all(settlement, 'SpecifiedTradeSettlementPaymentMeans').map((means) => ({
    code: textAt(means, 'TypeCode'),
    text: textAt(means, 'Information'),
    reference: textAt(settlement, 'PaymentReference'),
    accounts: all(means, 'PayeePartyCreditorFinancialAccount').map((account) => {
      const iban = textAt(account, 'IBANID');
      const bic = textAt(means, 'PayeeSpecifiedCreditorFinancialInstitution', 'BICID');
      return makeAccount(iban ?? textAt(account, 'ProprietaryID'), textAt(account, 'AccountName'), bic, iban !== undefined);
    }),
    cardNumber: textAt(means, 'ApplicableTradeSettlementFinancialCard', 'ID'),
    mandate: textAt(settlement, 'SpecifiedTradePaymentTerms', 'DirectDebitMandateID'),
    debitedAccount: textAt(means, 'PayerPartyDebtorFinancialAccount', 'IBANID'),
  }));

/** UNTDID 1001, of ram:AdditionalReferencedDocument: 50 is a tender (BT-17), 130 the invoiced object (BT-18). */
const NO_ATTACHMENT = ['50', '130'];

/** A Cross Industry Invoice (EN 16931-3-3) or its forerunner ZUGFeRD 1.0, whose lines were read already. */
export const ciiInvoice = (root: XmlNode, document: EinvoiceDocument, lines: readonly Line[], attachments: AttachmentReader): Invoice => {
  const about = at(root, 'ExchangedDocument|HeaderExchangedDocument');
  const transaction = at(root, 'SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction');
  const agreement = at(transaction, 'ApplicableHeaderTradeAgreement|ApplicableSupplyChainTradeAgreement');
  const delivery = at(transaction, 'ApplicableHeaderTradeDelivery|ApplicableSupplyChainTradeDelivery');
  const settlement = at(transaction, 'ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement');
  const paymentMeans = ciiPaymentMeans(settlement);
  return {
    syntax: 'CII',
    document,
    ...profile(root),
    number: textAt(about, 'ID'),
    typeCode: textAt(about, 'TypeCode'),
    issueDate: dayAt(about, 'IssueDateTime'),
    deliveryDate: dayAt(delivery, 'ActualDeliverySupplyChainEvent', 'OccurrenceDateTime'),
    ...terms(settlement),
    currency: textAt(settlement, 'InvoiceCurrencyCode'),
    taxCurrency: textAt(settlement, 'TaxCurrencyCode'),
    ...taxPoint(settlement),
    buyerReference: textAt(agreement, 'BuyerReference'),
    orderReference: textAt(agreement, 'BuyerOrderReferencedDocument', 'IssuerAssignedID|ID'),
    contractReference: textAt(agreement, 'ContractReferencedDocument', 'IssuerAssignedID|ID'),
    notes: all(about, 'IncludedNote')
      .map((note) => textAt(note, 'Content'))
      .filter((note) => note !== undefined),
    precedingInvoices: all(settlement, 'InvoiceReferencedDocument').map((one) => textAt(one, 'IssuerAssignedID|ID')),
    seller: {
      ...ciiParty(at(agreement, 'SellerTradeParty')),
      iban: chooseIban(paymentMeans),
    },
    buyer: ciiParty(at(agreement, 'BuyerTradeParty')),
    payee: optionalParty(at(settlement, 'PayeeTradeParty')),
    taxRepresentative: optionalParty(at(agreement, 'SellerTaxRepresentativeTradeParty')),
    deliveryAddress: ciiAddress(at(delivery, 'ShipToTradeParty', 'PostalTradeAddress')),
    period: ciiPeriod(at(settlement, 'BillingSpecifiedPeriod')),
    paymentMeans,
    adjustments: ciiAdjustments(settlement),
    lines,
    taxes: ciiTaxes(settlement),
    totals: ciiTotals(settlement),
    attachments: attachmentsOf(agreement, attachments),
  };
};

const optionalParty = (node: XmlNode | undefined): Party | undefined => node && ciiParty(node);

const profile = (root: XmlNode): Pick<Invoice, 'profile' | 'profileId'> => {
  const context = at(root, 'ExchangedDocumentContext|SpecifiedExchangedDocumentContext');
  const profileId = textAt(context, 'GuidelineSpecifiedDocumentContextParameter', 'ID');
  return { profile: profileOf(profileId), profileId };
};

/** There may be several terms, of which one has the date. */
const terms = (settlement: XmlNode | undefined): Pick<Invoice, 'dueDate' | 'paymentTerms'> => {
  const each = all(settlement, 'SpecifiedTradePaymentTerms');
  const texts = each.map((one) => textAt(one, 'Description')).filter((text) => text !== undefined);
  return {
    dueDate: each.map((one) => dayAt(one, 'DueDateDateTime')).find((day) => day !== undefined),
    paymentTerms: texts.length === 0 ? undefined : texts.join('\n'),
  };
};

/** BT-7 and BT-8 are repeated in each tax of the document. */
const taxPoint = (settlement: XmlNode | undefined): Pick<Invoice, 'taxPointDate' | 'taxPointCode'> => {
  const taxes = all(settlement, 'ApplicableTradeTax');
  return {
    taxPointDate: taxes.map((tax) => dayAt(tax, 'TaxPointDate')).find((day) => day !== undefined),
    taxPointCode: taxes.map((tax) => textAt(tax, 'DueDateTypeCode')).find((code) => code !== undefined),
  };
};

const attachmentsOf = (agreement: XmlNode | undefined, reader: AttachmentReader): Attachment[] =>
  all(agreement, 'AdditionalReferencedDocument')
    .filter((reference) => !NO_ATTACHMENT.includes(textAt(reference, 'TypeCode') ?? ''))
    .map((reference) =>
      reader.read(
        {
          reference: textAt(reference, 'IssuerAssignedID|ID'),
          description: textAt(reference, 'Name'),
          uri: textAt(reference, 'URIID'),
        },
        at(reference, 'AttachmentBinaryObject'),
      ),
    );
