import { ciiInvoice } from './cii/cii-invoice.ts';
import { ciiLine } from './cii/cii-line.ts';
import { type EinvoiceKind, kindOfRoot } from './detect-einvoice.ts';
import { EinvoiceError } from './einvoice-error.ts';
import type { Invoice, Line } from './invoice.ts';
import { DEFAULT_LIMITS, type EinvoiceLimits } from './limits.ts';
import { ublInvoice } from './ubl/ubl-invoice.ts';
import { ublLine } from './ubl/ubl-line.ts';
import { AttachmentReader } from './values/attachment-reader.ts';
import { XmlDecoder } from './xml/xml-encoding.ts';
import type { XmlNode } from './xml/xml-node.ts';
import { type TreeHandler, XmlTreeReader } from './xml/xml-tree-reader.ts';

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
