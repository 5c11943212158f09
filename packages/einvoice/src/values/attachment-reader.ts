import type { Attachment } from '../invoice.ts';
import { attributeOf, type XmlNode } from '../xml/xml-node.ts';

/** Longer names do not fit into a file system. */
const MAX_NAME_CHARS = 200;
const FIRST_PRINTABLE = 0x20;
const DELETE = '\u007f';

/** Decodes embedded documents (BT-125) until they are more than the limit together. */
export class AttachmentReader {
  #bytesLeft: number;

  constructor(maxBytes: number) {
    this.#bytesLeft = maxBytes;
  }

  read(about: Pick<Attachment, 'reference' | 'description' | 'uri'>, embedded: XmlNode | undefined): Attachment {
    if (embedded === undefined) return { ...about, name: undefined, mimeType: undefined, size: 0, bytes: undefined };
    const expected = decodedSize(embedded.text);
    const bytes = expected <= this.#bytesLeft ? Buffer.from(embedded.text, 'base64') : undefined;
    this.#bytesLeft -= bytes?.length ?? 0;
    return {
      ...about,
      name: baseName(attributeOf(embedded, 'filename')),
      mimeType: attributeOf(embedded, 'mimeCode'),
      size: bytes?.length ?? expected,
      bytes,
    };
  }
}

/** Without decoding it: white space and padding are no part. */
const decodedSize = (base64: string): number => {
  let digits = 0;
  for (let i = 0; i < base64.length; i += 1) {
    const code = base64.charCodeAt(i);
    if (code > FIRST_PRINTABLE && code !== 0x3d) digits += 1;
  }
  return Math.floor((digits * 3) / 4);
};

/** A name from outside never chooses a folder. */
const baseName = (name: string | undefined): string | undefined => {
  const last = name?.split('/').at(-1)?.split('\\').at(-1) ?? '';
  const printable = Array.from(last.slice(0, MAX_NAME_CHARS)).filter((char) => char >= ' ' && char !== DELETE);
  return printable.length === 0 || last === '.' || last === '..' ? undefined : printable.join('');
};
