import { EinvoiceError } from '../einvoice-error.ts';

/** By the name in the declaration, in lower case: what the decoder is called. Encodings of e-invoices and their near relatives only. */
const DECODERS: Readonly<Record<string, string>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  ascii: 'utf-8',
  'iso-8859-1': 'windows-1252',
  'iso8859-1': 'windows-1252',
  latin1: 'windows-1252',
  'windows-1252': 'windows-1252',
  'iso-8859-15': 'iso-8859-15',
};
const UTF_16 = /^(?:utf-?16(?:[bl]e)?|iso-10646-ucs-2)$/;
/** A declaration is the first thing of a document, so only its head is looked at. */
const HEAD_BYTES = 256;

/**
 * The encoding of a document by its byte order mark, else by how its first characters lie, else by its declaration (XML 1.0, appendix F),
 * as a name for TextDecoder. Throws `wrong_encoding` where the declaration contradicts the bytes or is not supported.
 */
export const encodingOf = (head: Uint8Array): string => {
  const [first, second, third, fourth] = head;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0x3c && second === 0 && fourth === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c && third === 0) return 'utf-16be';
  return declaredDecoder(declaredEncoding(head));
};

const declaredDecoder = (declared: string): string => {
  if (UTF_16.test(declared)) throw new EinvoiceError('wrong_encoding', 'The document declares UTF-16, but its bytes are not UTF-16');
  const decoder = Object.hasOwn(DECODERS, declared) ? DECODERS[declared] : undefined;
  if (decoder === undefined) throw new EinvoiceError('wrong_encoding', 'The declared encoding of the document is not supported');
  return decoder;
};

/** In lower case; UTF-8 where none is named. */
const declaredEncoding = (head: Uint8Array): string => {
  const text = Buffer.from(head.subarray(0, HEAD_BYTES)).toString('latin1').trimStart();
  const end = text.indexOf('?>');
  if (!text.startsWith('<?xml') || end === -1) return 'utf-8';
  const at = text.indexOf('encoding', 5);
  if (at === -1 || at > end) return 'utf-8';
  const [, named = ''] = text.slice(at, end).split(/["']/, 2);
  return named.toLowerCase();
};

/** Decodes piece by piece. Bytes that the encoding does not have are an error: no name of a company is guessed. */
export class XmlDecoder {
  #decoder: TextDecoder | undefined;
  #head: Uint8Array = new Uint8Array();

  /** Throws `wrong_encoding`. */
  write(piece: Uint8Array): string {
    if (this.#decoder !== undefined) return this.#decode(piece, true);
    this.#head = Buffer.concat([this.#head, piece]);
    return this.#head.length < HEAD_BYTES ? '' : this.#start();
  }

  /** Throws `truncated` where the last character is cut. */
  end(): string {
    const rest = this.#decoder === undefined ? this.#start() : '';
    try {
      return rest + this.#decode(new Uint8Array(), false);
    } catch {
      throw new EinvoiceError('truncated', 'The document ends within a character');
    }
  }

  #start(): string {
    this.#decoder = new TextDecoder(encodingOf(this.#head), { fatal: true });
    const head = this.#head;
    this.#head = new Uint8Array();
    return this.#decode(head, true).trimStart(); // white space before the declaration is a slip of many programs
  }

  #decode(piece: Uint8Array, stream: boolean): string {
    try {
      return this.#decoder?.decode(piece, { stream }) ?? '';
    } catch {
      throw new EinvoiceError('wrong_encoding', 'The document holds bytes that its encoding does not have');
    }
  }
}
