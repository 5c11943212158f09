import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import { htmlToText } from './html-to-text.ts';

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
