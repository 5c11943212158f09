/** The encodings of XML in office files, and what their declarations call them. Others are not read: a filter and an office must agree on every byte. */
const LABELS: Readonly<Record<string, string>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  ascii: 'utf-8',
  'iso-8859-1': 'windows-1252',
  'windows-1252': 'windows-1252',
};
const DECLARATION = /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w-]{1,40})["']/;
const HEAD_BYTES = 300;

export interface XmlEncoding {
  readonly label: string;
  /** False: the part has to be written again as UTF-8. */
  readonly isUtf8: boolean;
}

/** The encoding of a part that begins with `head`; undefined when it is none that can be read. */
export const findXmlEncoding = (head: Buffer): XmlEncoding | undefined => {
  if (head[0] === 0xff && head[1] === 0xfe) return { label: 'utf-16le', isUtf8: false };
  if (head[0] === 0xfe && head[1] === 0xff) return { label: 'utf-16be', isUtf8: false };
  if (head[0] === 0x3c && head[1] === 0) return { label: 'utf-16le', isUtf8: false };
  if (head[0] === 0 && head[1] === 0x3c) return { label: 'utf-16be', isUtf8: false };
  const start = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
  const named = DECLARATION.exec(head.toString('latin1', start, start + HEAD_BYTES))?.[1]?.toLowerCase();
  if (named === undefined) return { label: 'utf-8', isUtf8: true };
  // Some programs declare UTF-16 and write UTF-8; parsers go by the bytes.
  if (named === 'utf-16') return { label: 'utf-8', isUtf8: false };
  const label = Object.hasOwn(LABELS, named) ? LABELS[named] : undefined;
  return label === undefined ? undefined : { label, isUtf8: label === 'utf-8' };
};

const BLANKS: ReadonlySet<number> = new Set([0, 0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf, 0xff, 0xfe]);

/**
 * Whether a part that begins with `head` may be XML (or HTML), in whatever encoding: its first character that is no blank is
 * `<`, or comes later.
 */
export const looksLikeXml = (head: Buffer): boolean => {
  const first = head.find((byte) => !BLANKS.has(byte));
  return first === undefined || first === 0x3c;
};

/**
 * The text of a part, with line ends as XML has them, so that a position in it is a position for everyone. Throws
 * UnreadablePart for bytes that are not of its encoding.
 */
export async function* decodeXml(chunks: AsyncIterable<Buffer>, { label }: XmlEncoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(label, { fatal: true });
  let held = '';
  for await (const chunk of chunks) {
    const text = held + decode(decoder, chunk);
    held = text.endsWith('\r') ? '\r' : '';
    yield normalise(text.slice(0, text.length - held.length));
  }
  yield normalise(held + decode(decoder));
}

/** Without a chunk: the end. */
const decode = (decoder: TextDecoder, chunk?: Buffer): string => {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch (error) {
    throw new UnreadablePart((error as Error).message, { cause: error });
  }
};

const normalise = (text: string): string => (text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text);

const MAX_NAMESPACES = 1_000;
const XML: readonly [string, string] = ['xml', 'http://www.w3.org/XML/1998/namespace'];

type Scope = ReadonlyMap<string, string>;

/** The namespaces that prefixes stand for, element by element. Resolving takes the same time at every depth. */
export class XmlNamespaces {
  readonly #scopes: Scope[] = [new Map([XML])];

  /** Call it with the attributes of each element that opens, by their names. */
  open(attributes: Readonly<Record<string, string>>): void {
    const outer = this.#scopes.at(-1) ?? new Map<string, string>();
    let inner: Map<string, string> | undefined;
    for (const [name, value] of Object.entries(attributes)) {
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
      inner ??= new Map(outer);
      inner.set(name.slice('xmlns:'.length), value.trim());
    }
    if ((inner?.size ?? 0) > MAX_NAMESPACES) throw new UnreadablePart('too many namespaces');
    this.#scopes.push(inner ?? outer);
  }

  close(): void {
    this.#scopes.pop();
  }

  /** The local name and the namespace; empty for none, and for a prefix that stands for nothing. */
  resolve(name: string, isAttribute: boolean): { readonly local: string; readonly uri: string } {
    const colon = name.indexOf(':');
    const prefix = colon < 0 ? '' : name.slice(0, colon);
    // An attribute without a prefix has no namespace.
    const uri = isAttribute && prefix === '' ? '' : (this.#scopes.at(-1)?.get(prefix) ?? '');
    return { local: name.slice(colon + 1), uri };
  }
}

/** A part of an office file that cannot be read for certain, so that it cannot be said what it refers to. */
export class UnreadablePart extends Error {}
