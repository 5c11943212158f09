import { renderEinvoiceHtml } from '@sheaf/einvoice';
import type { EinvoiceLanguage } from '@sheaf/vocabulary/einvoices';
import { readEinvoiceFile } from './check-einvoice-file.ts';

/** A part of an e-invoice that somebody asks for; `path` is XML. */
export type EinvoiceTask = { readonly path: string } & (
  | { readonly want: 'view'; readonly language: EinvoiceLanguage }
  /** `number` counts from 1. */
  | { readonly want: 'attachment'; readonly number: number }
);

export interface EinvoiceFile {
  readonly bytes: Uint8Array;
  /** Of an attachment that has one, without folders. */
  readonly name: string | undefined;
}

/** `not_there`: the invoice has no such attachment, or only its address. Other problems are codes of EinvoiceError, or `too_large`. */
export type EinvoiceAnswer = { readonly ok: true; readonly file: EinvoiceFile } | { readonly ok: false; readonly problem: string };

/** An invoice of 10,000 lines has a fifth of it. */
const MAX_VIEW_CHARS = 32 * 1024 ** 2;

/** The task of a thread of `EinvoiceFiles`. */
export default async (task: EinvoiceTask): Promise<EinvoiceAnswer> => {
  const read = await readEinvoiceFile(task.path);
  if (!read.ok) return { ok: false, problem: read.code };
  if (task.want === 'view') {
    const html = renderEinvoiceHtml(read.invoice, task.language);
    return html.length > MAX_VIEW_CHARS
      ? { ok: false, problem: 'too_large' }
      : { ok: true, file: { bytes: new TextEncoder().encode(html), name: undefined } };
  }
  const attachment = read.invoice.attachments[task.number - 1];
  if (attachment?.bytes === undefined) return { ok: false, problem: 'not_there' };
  return { ok: true, file: { bytes: attachment.bytes, name: attachment.name } };
};
