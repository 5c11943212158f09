const RAM = 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:';

/** What ZUGFeRD 1.0 calls otherwise. */
const NAMES = {
  current: {
    root: 'CrossIndustryInvoice',
    namespace: 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
    ram: `${RAM}100`,
    context: 'ExchangedDocumentContext',
    document: 'ExchangedDocument',
    transaction: 'SupplyChainTradeTransaction',
    header: 'ApplicableHeaderTrade',
    line: 'SpecifiedLineTrade',
    totals: 'SpecifiedTradeSettlementHeaderMonetarySummation',
    lineTotals: 'SpecifiedTradeSettlementLineMonetarySummation',
    rate: 'RateApplicablePercent',
  },
  first: {
    root: 'CrossIndustryDocument',
    namespace: 'urn:ferd:CrossIndustryDocument:invoice:1p0',
    ram: `${RAM}12`,
    context: 'SpecifiedExchangedDocumentContext',
    document: 'HeaderExchangedDocument',
    transaction: 'SpecifiedSupplyChainTradeTransaction',
    header: 'ApplicableSupplyChainTrade',
    line: 'SpecifiedSupplyChainTrade',
    totals: 'SpecifiedTradeSettlementMonetarySummation',
    lineTotals: 'SpecifiedTradeSettlementMonetarySummation',
    rate: 'ApplicablePercent',
  },
};

const PARTS = {
  profileId: 'urn:cen.eu:en16931:2017',
  notes: '<ram:IncludedNote><ram:Content>Thank you</ram:Content></ram:IncludedNote>',
  agreement: '',
  delivery:
    '<ram:ActualDeliverySupplyChainEvent><ram:OccurrenceDateTime><udt:DateTimeString format="102">20260301</udt:DateTimeString></ram:OccurrenceDateTime></ram:ActualDeliverySupplyChainEvent>',
  payment:
    '<ram:SpecifiedTradeSettlementPaymentMeans><ram:TypeCode>58</ram:TypeCode><ram:PayeePartyCreditorFinancialAccount><ram:IBANID>DE75512108001245126199</ram:IBANID></ram:PayeePartyCreditorFinancialAccount></ram:SpecifiedTradeSettlementPaymentMeans>',
  adjustments: '',
  taxTotal: '<ram:TaxTotalAmount currencyID="EUR">19.00</ram:TaxTotalAmount>',
  lines: undefined as string | undefined,
};
export type CiiParts = Partial<typeof PARTS>;
export type CiiVersion = keyof typeof NAMES;

/** A line of 100.00 with 19 % VAT. */
export const ciiLine = (version: CiiVersion = 'current', id = '1', about = ''): string => {
  const { line, lineTotals, rate } = NAMES[version];
  return `<ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>${id}</ram:LineID>${about}</ram:AssociatedDocumentLineDocument>
  <ram:SpecifiedTradeProduct><ram:Name>Paper</ram:Name></ram:SpecifiedTradeProduct>
  <ram:${line}Agreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>50.0000</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:${line}Agreement>
  <ram:${line}Delivery><ram:BilledQuantity unitCode="C62">2.0000</ram:BilledQuantity></ram:${line}Delivery>
  <ram:${line}Settlement><ram:ApplicableTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode><ram:${rate}>19.00</ram:${rate}></ram:ApplicableTradeTax>
  <ram:${lineTotals}><ram:LineTotalAmount>100.00</ram:LineTotalAmount></ram:${lineTotals}></ram:${line}Settlement></ram:IncludedSupplyChainTradeLineItem>`;
};

const party = (role: string, name: string, vatId: string): string =>
  `<ram:${role}TradeParty><ram:Name>${name}</ram:Name><ram:PostalTradeAddress><ram:PostcodeCode>10115</ram:PostcodeCode><ram:LineOne>1 High Street</ram:LineOne><ram:CityName>Berlin</ram:CityName><ram:CountryID>DE</ram:CountryID></ram:PostalTradeAddress><ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">${vatId}</ram:ID></ram:SpecifiedTaxRegistration></ram:${role}TradeParty>`;

/** A Cross Industry Invoice that keeps every rule of EN 16931, with parts of it exchanged. */
export const ciiXml = (parts: CiiParts = {}, version: CiiVersion = 'current'): string => {
  const names = NAMES[version];
  const with_ = { ...PARTS, ...parts };
  return `<?xml version="1.0" encoding="UTF-8"?>
<rsm:${names.root} xmlns:rsm="${names.namespace}" xmlns:ram="${names.ram}" xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
<rsm:${names.context}><ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>${with_.profileId}</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter></rsm:${names.context}>
<rsm:${names.document}><ram:ID>2026-7</ram:ID><ram:TypeCode>380</ram:TypeCode><ram:IssueDateTime><udt:DateTimeString format="102">20260314</udt:DateTimeString></ram:IssueDateTime>${with_.notes}</rsm:${names.document}>
<rsm:${names.transaction}>${with_.lines ?? ciiLine(version)}
<ram:${names.header}Agreement>${party('Seller', 'Acme Ltd', 'DE123456789')}${party('Buyer', 'Buyer &amp; Sons', 'DE987654321')}${with_.agreement}</ram:${names.header}Agreement>
<ram:${names.header}Delivery>${with_.delivery}</ram:${names.header}Delivery>
<ram:${names.header}Settlement><ram:PaymentReference>2026-7</ram:PaymentReference><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>${with_.payment}
<ram:ApplicableTradeTax><ram:CalculatedAmount>19.00</ram:CalculatedAmount><ram:TypeCode>VAT</ram:TypeCode><ram:BasisAmount>100.00</ram:BasisAmount><ram:CategoryCode>S</ram:CategoryCode><ram:${names.rate}>19.00</ram:${names.rate}></ram:ApplicableTradeTax>${with_.adjustments}
<ram:SpecifiedTradePaymentTerms><ram:Description>30 days</ram:Description></ram:SpecifiedTradePaymentTerms>
<ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime><udt:DateTimeString format="102">20260413</udt:DateTimeString></ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>
<ram:${names.totals}><ram:LineTotalAmount>100.00</ram:LineTotalAmount><ram:TaxBasisTotalAmount>100.00</ram:TaxBasisTotalAmount>${with_.taxTotal}<ram:GrandTotalAmount>119.00</ram:GrandTotalAmount><ram:DuePayableAmount>119.00</ram:DuePayableAmount></ram:${names.totals}>
</ram:${names.header}Settlement></rsm:${names.transaction}></rsm:${names.root}>`;
};
