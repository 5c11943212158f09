import { storableText } from '@sheaf/contract/text';
import { type EinvoiceErrorCode, einvoiceText } from '@sheaf/einvoice';
import type { FailureReason } from '@sheaf/vocabulary/extraction-failures';
import type { DocumentRequest } from '../document-parts.ts';
import { type ExtractedPage, type Extraction, failed } from '../extraction.ts';
import { checkInvoice, readEinvoiceFile } from './check-einvoice-file.ts';

/** An invoice of 10,000 lines has less. */
const MAX_TEXT_CHARS = 4_000_000;

const FAILURES: Readonly<Record<EinvoiceErrorCode, FailureReason>> = {
  not_einvoice: 'unsupported',
  doctype_refused: 'unsafe_xml',
  entity_refused: 'unsafe_xml',
  too_large: 'too_large',
  too_deep: 'too_large',
  truncated: 'corrupt',
  wrong_encoding: 'corrupt',
  not_well_formed: 'corrupt',
};

/** Opens an e-invoice that is a file of its own: its words are one page. */
export const readEinvoiceDocument = async ({ path, donePages, signal }: DocumentRequest): Promise<Extraction> => {
  const read = await readEinvoiceFile(path, signal);
  if (!read.ok) return failed(FAILURES[read.code]);
  const text = storableText(einvoiceText(read.invoice)).slice(0, MAX_TEXT_CHARS).toWellFormed();
  const page: ExtractedPage = { page: 1, text, confidence: 1, origin: 'text' };
  return {
    ok: true,
    pageCount: 1,
    previewPath: undefined,
    einvoice: { ok: true, einvoice: checkInvoice(read.invoice) },
    pages: (async function* () {
      if (!donePages.has(1)) yield [page];
    })(),
    [Symbol.asyncDispose]: async () => {},
  };
};
