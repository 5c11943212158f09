import { createReadStream } from 'node:fs';
import { storableText } from '@sheaf/contract/text';
import { checkEinvoice, EinvoiceError, type EinvoiceErrorCode, type Invoice, readEinvoice } from '@sheaf/einvoice';
import type { CheckedEinvoice, EinvoiceAttachment, EinvoiceFacts } from '@sheaf/vocabulary/einvoices';

export type ReadInvoice = { readonly ok: true; readonly invoice: Invoice } | { readonly ok: false; readonly code: EinvoiceErrorCode };

/** The e-invoice in a file of XML, or why it is none. Only in a thread for strangers' files. */
export const readEinvoiceFile = async (path: string, signal?: AbortSignal): Promise<ReadInvoice> => {
  try {
    return { ok: true, invoice: await readEinvoice(createReadStream(path, { signal }) as AsyncIterable<Buffer>) };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof EinvoiceError) return { ok: false, code: error.code };
    throw error;
  }
};

/** Longer texts are no names or numbers; the view and the text of the page show them whole. */
const MAX_FIELD_CHARS = 500;
const MAX_ATTACHMENTS = 100;

const field = (text: string | undefined): string | null =>
  text === undefined ? null : storableText(text.slice(0, MAX_FIELD_CHARS)).toWellFormed();

const factsOf = ({ totals, seller, ...invoice }: Invoice): EinvoiceFacts => ({
  syntax: invoice.syntax,
  profile: field(invoice.profile ?? invoice.profileId),
  number: field(invoice.number),
  type_code: field(invoice.typeCode),
  issue_date: field(invoice.issueDate),
  due_date: field(invoice.dueDate),
  currency: field(invoice.currency),
  grand_total: field(totals.grandTotal),
  payable: field(totals.payable),
  seller: {
    name: field(seller.name),
    trading_name: field(seller.tradingName),
    vat_id: field(seller.vatId),
    iban: field(seller.iban),
  },
  buyer: { name: field(invoice.buyer.name) },
});

const attachmentsOf = ({ attachments }: Invoice): EinvoiceAttachment[] =>
  attachments.slice(0, MAX_ATTACHMENTS).map(({ name, uri, reference, description, mimeType, size, bytes }, at) => ({
    number: at + 1,
    name: field(name ?? uri ?? reference),
    description: field(description),
    mime_type: field(mimeType),
    size,
    is_embedded: bytes !== undefined,
  }));

/** What is kept of an invoice, within limits, and what is wrong with it. */
export const checkInvoice = (invoice: Invoice): CheckedEinvoice => {
  const { ruleSet, violations } = checkEinvoice(invoice);
  return { invoice: factsOf(invoice), rules: ruleSet, violations, attachments: attachmentsOf(invoice) };
};
