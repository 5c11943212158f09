import { join } from 'node:path';
import type { FoundEinvoice } from '@sheaf/vocabulary/einvoices';
import type { Attachment, Limit, Poppler } from '../pdf/poppler.ts';

/** What ZUGFeRD, Factur-X and XRechnung call it, by any letters; the newest form first. */
const NAMES = ['factur-x.xml', 'xrechnung.xml', 'zugferd-invoice.xml'];
const EMBEDDED = 'embedded-einvoice.xml';

type Taken = { readonly ok: true; readonly path: string } | { readonly ok: false };

/** Takes the XML of an e-invoice out of a PDF; undefined where there is none. It lies in `scratchPath` then. */
export const takeEmbeddedEinvoice = async (poppler: Poppler, scratchPath: string, limit: Limit): Promise<Taken | undefined> =>
  takeEinvoiceOf(poppler, await poppler.listAttachments(limit), scratchPath, limit);

const takeEinvoiceOf = async (
  poppler: Poppler,
  attachments: readonly Attachment[],
  scratchPath: string,
  limit: Limit,
): Promise<Taken | undefined> => {
  const chosen = NAMES.flatMap((wanted) => attachments.find(({ name }) => name.toLowerCase() === wanted) ?? [])[0];
  if (chosen === undefined) return undefined;
  const path = join(scratchPath, EMBEDDED);
  return (await poppler.saveAttachment(chosen.number, path, limit)) ? { ok: true, path } : { ok: false };
};

/** The e-invoice among the files that a PDF holds, or why it could not be read: that is no fault of the PDF. Undefined where there is none. */
export const findEmbeddedEinvoice = async (
  poppler: Poppler,
  attachments: readonly Attachment[],
  scratchPath: string,
  limit: Limit,
): Promise<FoundEinvoice | undefined> => {
  const taken = await takeEinvoiceOf(poppler, attachments, scratchPath, limit);
  if (taken === undefined) return undefined;
  if (!taken.ok) return { ok: false, problem: 'not_extracted' };
  // few PDFs have one, and the rules of invoices take 0.1 s to load
  const { checkInvoice, readEinvoiceFile } = await import('./check-einvoice-file.ts');
  const read = await readEinvoiceFile(taken.path, limit.signal);
  return read.ok ? { ok: true, einvoice: checkInvoice(read.invoice) } : { ok: false, problem: read.code };
};
