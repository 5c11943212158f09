import type { Address, Attachment, Email } from 'postal-mime';
import PostalMime from 'postal-mime';

/** A file that came with a message. */
export interface AttachedFile {
  readonly filename: string;
  readonly bytes: Buffer;
  /** Whether it is a message that was forwarded. */
  readonly isMessage: boolean;
}

/** What a message says. */
export interface Message {
  /** As the message names itself, without angle brackets. */
  readonly messageId: string | undefined;
  readonly subject: string;
  readonly from: string;
  readonly to: string;
  readonly date: Date | undefined;
  readonly text: string;
  readonly attachments: readonly AttachedFile[];
}

/** Far beyond what mail programs write. */
const LIMITS = { maxNestingDepth: 50, maxHeadersSize: 1_000_000, forceRfc822Attachments: true } as const;

const nameOf = (address: Address | undefined): string => {
  if (address === undefined) return '';
  if (address.group !== undefined) return address.name;
  return address.name === '' ? address.address : `${address.name} <${address.address}>`;
};

/** Pictures of the layout are no documents. */
const isDocument = ({ disposition, related, contentId }: Attachment): boolean =>
  disposition === 'attachment' || (related !== true && contentId === undefined);

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'text/plain': 'txt',
  'message/rfc822': 'eml',
};

const toFile = (attachment: Attachment, index: number): AttachedFile => {
  const { content, filename, mimeType } = attachment;
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as Uint8Array);
  const name = filename ?? `attachment-${index + 1}.${EXTENSIONS[mimeType] ?? 'bin'}`;
  return { bytes, filename: name, isMessage: mimeType === 'message/rfc822' || name.toLowerCase().endsWith('.eml') };
};

const dateOf = ({ date }: Email): Date | undefined => {
  const time = new Date(date ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? undefined : time;
};

/** Reads a message. Throws an error where it is none, or is nested beyond all reason. */
export const readMessage = async (bytes: Buffer): Promise<Message> => {
  const email = await PostalMime.parse(bytes, LIMITS);
  if (email.headers.length === 0) throw new Error('it has no headers');
  const text = email.text?.trim() === '' || email.text === undefined ? htmlToText(email.html ?? '') : email.text;
  return {
    messageId: email.messageId?.replace(/^<|>$/g, ''),
    subject: email.subject?.trim() ?? '',
    from: nameOf(email.from ?? email.sender),
    to: [...(email.to ?? []), ...(email.cc ?? [])].map(nameOf).join(', '),
    date: dateOf(email),
    text,
    attachments: email.attachments.filter(isDocument).map(toFile),
  };
};

/** Whom a message is from, as a correspondent: the name, else the address. */
export const correspondentOf = ({ from }: Message): string | undefined => {
  const bracket = from.lastIndexOf(' <');
  const name = (bracket === -1 ? from : from.slice(0, bracket)).replaceAll('"', '').trim();
  return name === '' ? undefined : name;
};

/** What of HTML people do not read. */
const HIDDEN = new Set(['head', 'style', 'script', 'template', 'title']);
/** Behind which a line ends. */
const LINES = new Set(['br', 'p', 'div', 'tr', 'li', 'ul', 'ol', 'table', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'hr', 'pre']);
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  euro: '€',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
  ccedil: 'ç',
};

const toCharacter = (code: number): string =>
  code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '�';

const decoded = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{1,10}));/g, (whole, decimal?: string, hex?: string, name?: string) => {
    if (decimal !== undefined) return toCharacter(Number(decimal));
    if (hex !== undefined) return toCharacter(Number.parseInt(hex, 16));
    return ENTITIES[name ?? ''] ?? whole;
  });

/** Where a tag ends: a bracket within quotes does not count. */
const endOfTag = (html: string, start: number): number => {
  let quote = '';
  for (let at = start; at < html.length; at += 1) {
    const character = html.charAt(at);
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at;
  }
  return html.length;
};

/** The words of an HTML message, line by line, in time that grows with its length alone. Nothing in it is fetched. */
export const htmlToText = (html: string): string => {
  const pieces: string[] = [];
  let hidden = '';
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (hidden === '') pieces.push(html.slice(at, open === -1 ? undefined : open).replaceAll(/[ \t\r\n]+/g, ' '));
    if (open === -1) break;
    if (html.startsWith('<!--', open)) {
      const close = html.indexOf('-->', open + 4);
      at = close === -1 ? html.length : close + 3;
      continue;
    }
    const end = endOfTag(html, open + 1);
    const [, slash = '', name = ''] = /^(\/?)([a-zA-Z][a-zA-Z0-9]{0,20})/.exec(html.slice(open + 1, open + 30)) ?? [];
    const tag = name.toLowerCase();
    if (hidden === '' && slash === '' && HIDDEN.has(tag)) hidden = tag;
    else if (hidden === tag && slash === '/') hidden = '';
    if (hidden === '' && LINES.has(tag)) pieces.push('\n');
    if (hidden === '' && (tag === 'td' || tag === 'th')) pieces.push(' ');
    at = end + 1;
  }
  return decoded(pieces.join(''))
    .split('\n')
    .map((line) => line.trim())
    .filter((line, index, lines) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim();
};
