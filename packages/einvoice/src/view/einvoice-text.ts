import type { Adjustment, Attachment, Invoice, Line, Party, PaymentMeans } from '../invoice.ts';
import { labelOf, titleOf, VIEW_LANGUAGES } from './labels.ts';
import { addressLines } from './party-view.ts';

type Words = readonly (string | undefined)[];

const partyWords = (party: Party | undefined): Words => [
  party?.name,
  party?.tradingName,
  ...addressLines(party?.address),
  ...(party?.identifiers ?? []).map(({ id }) => id),
  party?.legalId,
  party?.vatId,
  party?.taxId,
  party?.electronicAddress?.id,
  party?.contact?.name,
  party?.contact?.phone,
  party?.contact?.email,
];

const adjustmentWords = ({ reason, amount }: Adjustment): Words => [reason, amount];

const lineWords = (line: Line): Words => [
  line.id,
  line.name,
  line.description,
  line.note,
  line.sellerItemId,
  line.standardItemId?.id,
  ...line.itemAttributes.flatMap(({ name, value }) => [name, value]),
  line.quantity,
  line.unit,
  line.netPrice,
  line.netAmount,
  ...line.adjustments.flatMap(adjustmentWords),
];

const paymentWords = (means: PaymentMeans): Words => [
  means.text,
  means.reference,
  ...means.accounts.flatMap(({ id, name, bic }) => [id, name, bic]),
  means.mandate,
  means.debitedAccount,
];

const attachmentWords = ({ reference, description, name, uri }: Attachment): Words => [reference, description, name, uri];

/** The words of an invoice for search, one line per part: what it is called in every language of the view, then the texts as written. */
export const einvoiceText = (invoice: Invoice): string => {
  const { totals } = invoice;
  const rows: Words[] = [
    [...new Set(VIEW_LANGUAGES.map((language) => labelOf(titleOf(invoice.typeCode), language))), invoice.number],
    [invoice.issueDate, invoice.dueDate, invoice.deliveryDate, invoice.period?.start, invoice.period?.end],
    [invoice.buyerReference, invoice.orderReference, invoice.contractReference, ...invoice.precedingInvoices],
    ...[invoice.seller, invoice.buyer, invoice.payee, invoice.taxRepresentative].map(partyWords),
    addressLines(invoice.deliveryAddress),
    ...invoice.notes.map((note) => [note]),
    ...invoice.lines.map(lineWords),
    ...invoice.adjustments.map(adjustmentWords),
    ...invoice.taxes.map(({ rate, taxable, amount, exemptionReason }) => [rate && `${rate} %`, taxable, amount, exemptionReason]),
    [totals.net, totals.tax, totals.grandTotal, totals.prepaid, totals.payable, invoice.currency],
    ...invoice.paymentMeans.map(paymentWords),
    [invoice.paymentTerms],
    ...invoice.attachments.map(attachmentWords),
  ];
  return rows
    .map((words) => words.filter((word) => word !== undefined && word !== '').join(' '))
    .filter((row) => row !== '')
    .join('\n');
};
