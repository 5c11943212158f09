import type { Attachment, EinvoiceDocument, Invoice, Line, Party, PaymentMeans } from '../invoice.ts';
import { chooseIban, makeAccount } from '../values/account.ts';
import type { AttachmentReader } from '../values/attachment-reader.ts';
import { profileOf } from '../values/profile.ts';
import { all, at, textAt, type XmlNode } from '../xml/xml-node.ts';
import { ciiAddress, ciiAdjustments, ciiParty, ciiPeriod, ciiTaxes, ciiTotals, dayAt } from './cii-line.ts';

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
