import { SaxesParser } from 'saxes';
import { ciiInvoice, ciiLine } from './cii/cii-invoice.ts';
import { EinvoiceError } from './einvoice-error.ts';
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
  Syntax,
  TaxCategory,
  TaxTotal,
  Totals,
} from './invoice.ts';
import { DEFAULT_LIMITS, type EinvoiceLimits } from './limits.ts';
import { AttachmentReader, chooseIban, isoDay, makeAccount, profileOf } from './values/values.ts';
import {
  all,
  at,
  attributeOf,
  encodingOf,
  type TreeHandler,
  textAt,
  textOf,
  textsAt,
  XmlDecoder,
  type XmlNode,
  XmlTreeReader,
} from './xml/xml-tree-reader.ts';

/** Bytes handed on at once, so that the limits are looked at in between. */
const PIECE_BYTES = 64 * 1024;
const LINES = ['InvoiceLine', 'CreditNoteLine', 'IncludedSupplyChainTradeLineItem'];

/**
 * The e-invoice that the bytes of an XML document hold. Nothing outside them is read, and memory is bounded by the limits: of the lines
 * only their values are kept. Throws EinvoiceError; an invoice that breaks rules of EN 16931 is no error, see validateEinvoice.
 */
export const readEinvoice = async (
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  limits: Partial<EinvoiceLimits> = {},
): Promise<Invoice> => {
  const reader = new EinvoiceReader({ ...DEFAULT_LIMITS, ...limits });
  if (bytes instanceof Uint8Array) reader.write(bytes);
  else for await (const chunk of bytes) reader.write(chunk);
  return reader.end();
};

class EinvoiceReader implements TreeHandler {
  readonly #limits: EinvoiceLimits;
  readonly #decoder = new XmlDecoder();
  readonly #tree: XmlTreeReader;
  readonly #lines: Line[] = [];
  #kind: EinvoiceKind | undefined;
  #bytes = 0;

  constructor(limits: EinvoiceLimits) {
    this.#limits = limits;
    this.#tree = new XmlTreeReader(this, limits);
  }

  write(chunk: Uint8Array): void {
    for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
      const piece = chunk.subarray(start, start + PIECE_BYTES);
      this.#bytes += piece.length;
      if (this.#bytes > this.#limits.maxBytes) throw new EinvoiceError('too_large', 'The document is too large for an e-invoice');
      this.#tree.write(this.#decoder.write(piece));
    }
  }

  end(): Invoice {
    this.#tree.write(this.#decoder.end());
    const root = this.#tree.end();
    const { syntax, document } = this.#knownKind();
    const attachments = new AttachmentReader(this.#limits.maxAttachmentBytes);
    const toInvoice = syntax === 'UBL' ? ublInvoice : ciiInvoice;
    return toInvoice(root, document, this.#lines, attachments);
  }

  root(namespace: string, name: string): void {
    this.#kind = kindOfRoot(namespace, name);
    this.#knownKind();
  }

  detaches(name: string): boolean {
    return LINES.includes(name);
  }

  detached(node: XmlNode): void {
    if (this.#lines.length >= this.#limits.maxLines) throw new EinvoiceError('too_large', 'The invoice has too many lines');
    const { syntax, document } = this.#knownKind();
    this.#lines.push(syntax === 'UBL' ? ublLine(node) : ciiLine(node, document));
  }

  #knownKind(): EinvoiceKind {
    if (this.#kind === undefined) throw new EinvoiceError('not_einvoice', 'The root element is not that of a UBL or CII invoice');
    return this.#kind;
  }
}

export interface EinvoiceKind {
  readonly syntax: Syntax;
  readonly document: EinvoiceDocument;
}

const UBL = 'urn:oasis:names:specification:ubl:schema:xsd:';
const CII = 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:';
/** Of ZUGFeRD 1.0 and its release candidates. */
const ZUGFERD_1 = ['urn:ferd:CrossIndustryDocument:invoice:', 'urn:ferd:invoice:'];
/** Small, so that the errors of bytes that are no XML stay few. */
const SLICE_CHARS = 1_024;

/** What e-invoice has such a root element; undefined: none. */
const kindOfRoot = (namespace: string, name: string): EinvoiceKind | undefined => {
  if (name === 'Invoice' && namespace === `${UBL}Invoice-2`) return { syntax: 'UBL', document: 'Invoice' };
  if (name === 'CreditNote' && namespace === `${UBL}CreditNote-2`) return { syntax: 'UBL', document: 'CreditNote' };
  if (name === 'CrossIndustryInvoice' && namespace.startsWith(CII)) return { syntax: 'CII', document: 'CrossIndustryInvoice' };
  const isFirst = (name === 'CrossIndustryDocument' || name === 'Invoice') && ZUGFERD_1.some((start) => namespace.startsWith(start));
  return isFirst ? { syntax: 'CII', document: 'ZUGFeRD 1' } : undefined;
};

/**
 * What e-invoice begins with these bytes, by its root element and namespace; undefined: none, or the root is further on. A licence text
 * as a comment may come first, so give 64 KiB. What follows is not checked: readEinvoice may still refuse it.
 */
export const detectEinvoice = (head: Uint8Array): EinvoiceKind | undefined => {
  const text = decodeHead(head);
  const parser = new SaxesParser({ xmlns: true, position: false });
  const seen: { kind?: EinvoiceKind | undefined; isDone: boolean } = { isDone: false };
  parser.on('error', () => {
    seen.isDone = true;
  });
  parser.on('opentag', ({ uri, local }) => {
    if (!seen.isDone) seen.kind = kindOfRoot(uri, local);
    seen.isDone = true;
  });
  for (let start = 0; start < text.length && !seen.isDone; start += SLICE_CHARS) parser.write(text.slice(start, start + SLICE_CHARS));
  return seen.kind;
};

const decodeHead = (head: Uint8Array): string => {
  try {
    return new TextDecoder(encodingOf(head)).decode(head, { stream: true }).trimStart();
  } catch (error) {
    if (error instanceof EinvoiceError) return '';
    throw error;
  }
};

/** BG-16. */
const ublPaymentMeans = (root: XmlNode): PaymentMeans[] =>
  all(root, 'PaymentMeans').map((means) => ({
    code: textAt(means, 'PaymentMeansCode'),
    text: attributeOf(at(means, 'PaymentMeansCode'), 'name'),
    reference: textAt(means, 'PaymentID'),
    accounts: all(means, 'PayeeFinancialAccount').map((account) =>
      makeAccount(
        textAt(account, 'ID'),
        textAt(account, 'Name'),
        textAt(account, 'FinancialInstitutionBranch', 'ID') ?? textAt(account, 'FinancialInstitutionBranch', 'FinancialInstitution', 'ID'),
      ),
    ),
    cardNumber: textAt(means, 'CardAccount', 'PrimaryAccountNumberID'),
    mandate: textAt(means, 'PaymentMandate', 'ID'),
    debitedAccount: textAt(means, 'PaymentMandate', 'PayerFinancialAccount', 'ID'),
  }));

/** Of cac:AdditionalDocumentReference: the invoiced object (BT-18), which is no supporting document. */
const INVOICED_OBJECT = '130';

/** A UBL 2.1 invoice or credit note (EN 16931-3-2), whose lines were read already. */
const ublInvoice = (root: XmlNode, document: EinvoiceDocument, lines: readonly Line[], attachments: AttachmentReader): Invoice => {
  const profileId = textAt(root, 'CustomizationID');
  const paymentMeans = ublPaymentMeans(root);
  const period = at(root, 'InvoicePeriod');
  return {
    syntax: 'UBL',
    document,
    profile: profileOf(profileId),
    profileId,
    number: textAt(root, 'ID'),
    typeCode: textAt(root, 'InvoiceTypeCode|CreditNoteTypeCode'),
    issueDate: isoDay(textAt(root, 'IssueDate')),
    dueDate: isoDay(textAt(root, 'DueDate')) ?? isoDay(textAt(root, 'PaymentMeans', 'PaymentDueDate')), // a credit note has only the latter
    deliveryDate: isoDay(textAt(root, 'Delivery', 'ActualDeliveryDate')),
    currency: textAt(root, 'DocumentCurrencyCode'),
    taxCurrency: textAt(root, 'TaxCurrencyCode'),
    taxPointDate: isoDay(textAt(root, 'TaxPointDate')),
    taxPointCode: textAt(period, 'DescriptionCode'),
    buyerReference: textAt(root, 'BuyerReference'),
    orderReference: textAt(root, 'OrderReference', 'ID'),
    contractReference: textAt(root, 'ContractDocumentReference', 'ID'),
    notes: textsAt(root, 'Note'),
    precedingInvoices: all(root, 'BillingReference').map((one) =>
      textAt(one, 'InvoiceDocumentReference|CreditNoteDocumentReference', 'ID'),
    ),
    seller: {
      ...ublParty(at(root, 'AccountingSupplierParty', 'Party')),
      iban: chooseIban(paymentMeans),
    },
    buyer: ublParty(at(root, 'AccountingCustomerParty', 'Party')),
    payee: optionalParty(at(root, 'PayeeParty')),
    taxRepresentative: optionalParty(at(root, 'TaxRepresentativeParty')),
    deliveryAddress: ublAddress(at(root, 'Delivery', 'DeliveryLocation', 'Address')),
    // a period may hold nothing but the code of BT-8
    period: period &&
      (at(period, 'StartDate|EndDate') ?? (at(period, 'DescriptionCode') === undefined ? period : undefined)) && {
        start: isoDay(textAt(period, 'StartDate')),
        end: isoDay(textAt(period, 'EndDate')),
      },
    paymentMeans,
    paymentTerms: joined(all(root, 'PaymentTerms').flatMap((terms) => textsAt(terms, 'Note'))),
    adjustments: ublAdjustments(root),
    lines,
    taxes: ublTaxes(root),
    totals: ublTotals(root),
    attachments: attachmentsOf(root, attachments),
  };
};

const optionalParty = (node: XmlNode | undefined): Party | undefined => node && ublParty(node);

const joined = (texts: readonly string[]): string | undefined => (texts.length === 0 ? undefined : texts.join('\n'));

const attachmentsOf = (root: XmlNode, reader: AttachmentReader): Attachment[] =>
  all(root, 'AdditionalDocumentReference')
    .filter((reference) => textAt(reference, 'DocumentTypeCode') !== INVOICED_OBJECT)
    .map((reference) =>
      reader.read(
        {
          reference: textAt(reference, 'ID'),
          description: textAt(reference, 'DocumentDescription'),
          uri: textAt(reference, 'Attachment', 'ExternalReference', 'URI'),
        },
        at(reference, 'Attachment', 'EmbeddedDocumentBinaryObject'),
      ),
    );

/** A cac:InvoiceLine or cac:CreditNoteLine (BG-25). */
const ublLine = (node: XmlNode): Line => {
  const item = at(node, 'Item');
  const price = at(node, 'Price');
  const quantity = at(node, 'InvoicedQuantity|CreditedQuantity');
  const period = at(node, 'InvoicePeriod');
  return {
    id: textAt(node, 'ID'),
    note: textAt(node, 'Note'),
    name: textAt(item, 'Name'),
    description: textAt(item, 'Description'),
    sellerItemId: textAt(item, 'SellersItemIdentification', 'ID'),
    standardItemId: ublIdentifier(at(item, 'StandardItemIdentification', 'ID')),
    classifications: all(item, 'CommodityClassification')
      .map((one) => ublIdentifier(at(one, 'ItemClassificationCode')))
      .filter((one) => one !== undefined),
    itemAttributes: all(item, 'AdditionalItemProperty').map((one) => ({ name: textAt(one, 'Name'), value: textAt(one, 'Value') })),
    quantity: textAt(quantity),
    unit: attributeOf(quantity, 'unitCode'),
    netPrice: textAt(price, 'PriceAmount'),
    grossPrice: textAt(price, 'AllowanceCharge', 'BaseAmount'),
    netAmount: textAt(node, 'LineExtensionAmount'),
    tax: ublCategory(at(item, 'ClassifiedTaxCategory')),
    period: period && { start: isoDay(textAt(period, 'StartDate')), end: isoDay(textAt(period, 'EndDate')) },
    adjustments: ublAdjustments(node),
    isSummed: true,
  };
};

const ublIdentifier = (node: XmlNode | undefined): Identifier | undefined => {
  const id = textOf(node);
  return id === undefined ? undefined : { id, scheme: attributeOf(node, 'schemeID') ?? attributeOf(node, 'listID') };
};

const ublAddress = (node: XmlNode | undefined): Address | undefined =>
  node && {
    lines: [textAt(node, 'StreetName'), textAt(node, 'AdditionalStreetName'), textAt(node, 'AddressLine', 'Line')].filter(
      (line) => line !== undefined,
    ),
    city: textAt(node, 'CityName'),
    postcode: textAt(node, 'PostalZone'),
    subdivision: textAt(node, 'CountrySubentity'),
    country: textAt(node, 'Country', 'IdentificationCode'),
  };

/** A cac:Party, or what has its parts. */
const ublParty = (node: XmlNode | undefined): Party => {
  const legalName = textAt(node, 'PartyLegalEntity', 'RegistrationName');
  const tradingName = textAt(node, 'PartyName', 'Name');
  const contact = at(node, 'Contact');
  return {
    name: legalName ?? tradingName,
    tradingName: legalName === undefined || tradingName === legalName ? undefined : tradingName,
    identifiers: identifiersOf(node),
    legalId: textAt(node, 'PartyLegalEntity', 'CompanyID'),
    vatId: taxIdOf(node, true),
    taxId: taxIdOf(node, false),
    electronicAddress: ublIdentifier(at(node, 'EndpointID')),
    address: ublAddress(at(node, 'PostalAddress')),
    contact: contact && {
      name: textAt(contact, 'Name'),
      phone: textAt(contact, 'Telephone'),
      email: textAt(contact, 'ElectronicMail'),
    },
  };
};

/** The creditor identifier of SEPA (BT-90) stands among them and identifies no party. */
const identifiersOf = (node: XmlNode | undefined): Identifier[] =>
  all(node, 'PartyIdentification')
    .map((identification) => ublIdentifier(at(identification, 'ID')))
    .filter((identifier) => identifier !== undefined)
    .filter(({ scheme }) => scheme !== 'SEPA');

/** VAT (BT-31, BT-48, BT-63) is a scheme of its own; any other is a local registration (BT-32). */
const taxIdOf = (node: XmlNode | undefined, isVat: boolean): string | undefined => {
  const schemes = all(node, 'PartyTaxScheme');
  const scheme = schemes.find((one) => (textAt(one, 'TaxScheme', 'ID')?.toUpperCase() === 'VAT') === isVat);
  return textAt(scheme, 'CompanyID');
};

const ublCategory = (node: XmlNode | undefined): TaxCategory => ({ category: textAt(node, 'ID'), rate: textAt(node, 'Percent') });

/** Allowances and charges of a document or a line. */
const ublAdjustments = (node: XmlNode): Adjustment[] =>
  all(node, 'AllowanceCharge').map((one) => ({
    isCharge: ['true', '1'].includes(textAt(one, 'ChargeIndicator') ?? ''),
    amount: textAt(one, 'Amount'),
    base: textAt(one, 'BaseAmount'),
    percent: textAt(one, 'MultiplierFactorNumeric'),
    reason: textAt(one, 'AllowanceChargeReason'),
    reasonCode: textAt(one, 'AllowanceChargeReasonCode'),
    tax: ublCategory(at(one, 'TaxCategory')),
  }));

const ublTaxes = (root: XmlNode): TaxTotal[] =>
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

const ublTotals = (root: XmlNode): Totals => {
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
