import type { Attachment, EinvoiceDocument, Invoice, Line, Party, PaymentMeans } from '../invoice.ts';
import { chooseIban, makeAccount } from '../values/account.ts';
import type { AttachmentReader } from '../values/attachment-reader.ts';
import { isoDay } from '../values/day.ts';
import { profileOf } from '../values/profile.ts';
import { all, at, attributeOf, textAt, textsAt, type XmlNode } from '../xml/xml-node.ts';
import { ublAdjustments, ublTaxes, ublTotals } from './ubl-amounts.ts';
import { ublAddress, ublParty } from './ubl-party.ts';

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
export const ublInvoice = (root: XmlNode, document: EinvoiceDocument, lines: readonly Line[], attachments: AttachmentReader): Invoice => {
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
