const CAC = 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2';
const CBC = 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2';

const PARTS = {
  declaration: '<?xml version="1.0" encoding="UTF-8"?>',
  beforeRoot: '',
  rootAttributes: '',
  profileId: 'urn:cen.eu:en16931:2017',
  head: '<cbc:Note>Thank you</cbc:Note>',
  dueDate: '<cbc:DueDate>2026-04-13</cbc:DueDate>',
  references: '<cbc:BuyerReference>PO-7</cbc:BuyerReference>',
  sellerName: 'Acme Ltd',
  sellerParts: '<cac:PartyName><cbc:Name>Acme Shop</cbc:Name></cac:PartyName>',
  buyerName: 'Buyer &amp; Sons',
  parties: '',
  payment:
    '<cac:PaymentMeans><cbc:PaymentMeansCode name="Transfer">30</cbc:PaymentMeansCode><cbc:PaymentID>2026-7</cbc:PaymentID><cac:PayeeFinancialAccount><cbc:ID>DE75 5121 0800 1245 1261 99</cbc:ID><cbc:Name>Acme</cbc:Name></cac:PayeeFinancialAccount></cac:PaymentMeans>',
  adjustments: '',
  taxes:
    '<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount><cac:TaxSubtotal><cbc:TaxableAmount currencyID="EUR">100.00</cbc:TaxableAmount><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount><cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>19</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>',
  totals:
    '<cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount><cbc:TaxExclusiveAmount currencyID="EUR">100.00</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount currencyID="EUR">119.00</cbc:TaxInclusiveAmount><cbc:PayableAmount currencyID="EUR">119.00</cbc:PayableAmount>',
  lines: '',
};
export type UblParts = Partial<typeof PARTS>;

/** A line of 100.00 with 19 % VAT, of an invoice or a credit note. */
export const ublLine = (document: string, id = '1', item = 'Paper'): string => `<cac:${document}Line><cbc:ID>${id}</cbc:ID>
  <cbc:${document === 'Invoice' ? 'InvoicedQuantity' : 'CreditedQuantity'} unitCode="C62">2</cbc:${document === 'Invoice' ? 'InvoicedQuantity' : 'CreditedQuantity'}>
  <cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount>
  <cac:Item><cbc:Description>White, 80 g</cbc:Description><cbc:Name>${item}</cbc:Name><cac:ClassifiedTaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>19.00</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:ClassifiedTaxCategory></cac:Item>
  <cac:Price><cbc:PriceAmount currencyID="EUR">50.00</cbc:PriceAmount></cac:Price></cac:${document}Line>`;

const party = (name: string, vatId: string, parts: string): string =>
  `<cac:Party>${parts}<cac:PostalAddress><cbc:StreetName>1 High Street</cbc:StreetName><cbc:CityName>Berlin</cbc:CityName><cbc:PostalZone>10115</cbc:PostalZone><cac:Country><cbc:IdentificationCode>DE</cbc:IdentificationCode></cac:Country></cac:PostalAddress><cac:PartyTaxScheme><cbc:CompanyID>${vatId}</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme><cac:PartyLegalEntity><cbc:RegistrationName>${name}</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party>`;

/** A UBL document that keeps every rule of EN 16931, with parts of it exchanged. */
export const ublXml = (parts: UblParts = {}, document: 'Invoice' | 'CreditNote' = 'Invoice'): string => {
  const with_ = { ...PARTS, lines: ublLine(document), ...parts };
  return `${with_.declaration}${with_.beforeRoot}
<${document} xmlns="urn:oasis:names:specification:ubl:schema:xsd:${document}-2" xmlns:cac="${CAC}" xmlns:cbc="${CBC}"${with_.rootAttributes}>
<cbc:CustomizationID>${with_.profileId}</cbc:CustomizationID><cbc:ID>2026-7</cbc:ID><cbc:IssueDate>2026-03-14</cbc:IssueDate>${document === 'Invoice' ? with_.dueDate : ''}
<cbc:${document}TypeCode>${document === 'Invoice' ? '380' : '381'}</cbc:${document}TypeCode>${with_.head}<cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>${with_.references}
<cac:AccountingSupplierParty>${party(with_.sellerName, 'DE123456789', with_.sellerParts)}</cac:AccountingSupplierParty>
<cac:AccountingCustomerParty>${party(with_.buyerName, 'DE987654321', '')}</cac:AccountingCustomerParty>
${with_.parties}${with_.payment}<cac:PaymentTerms><cbc:Note>30 days</cbc:Note></cac:PaymentTerms>${with_.adjustments}${with_.taxes}
<cac:LegalMonetaryTotal>${with_.totals}</cac:LegalMonetaryTotal>
${with_.lines}
</${document}>`;
};
