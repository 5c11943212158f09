import { SaxesParser } from 'saxes';
import { EinvoiceError } from './einvoice-error.ts';
import type { EinvoiceDocument, Syntax } from './invoice.ts';
import { encodingOf } from './xml/xml-encoding.ts';

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
export const kindOfRoot = (namespace: string, name: string): EinvoiceKind | undefined => {
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
