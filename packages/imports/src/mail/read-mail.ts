import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Readable } from 'node:stream';
import { factsOf, type OpenRoot, openRoot, sortOf, type WatchedFile } from '@sheaf/storage/folders';
import { extensionOf, findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import { openFile, readSmall, walkItems } from '../folder/walk-items.ts';
import type { ForeignDocument, ForeignItem } from '../foreign/foreign-document.ts';
import { ImportSourceError, reasonOf } from '../source-error.ts';
import { correspondentOf, type Message, readMessage } from './message.ts';

/** What mail servers take, with room. */
const MAX_MESSAGE_BYTES = 100_000_000;

/** Makes a PDF of an RTF file. Throws an error whose message says why it cannot. */
export type PdfMaker = (rtf: Buffer) => Promise<Readable>;

interface MailOptions {
  /** Undefined: messages become text files. */
  readonly toPdf: PdfMaker | undefined;
}

/** A message with the mailbox that it lies in, as folders. */
interface FoundMessage {
  readonly mailbox: readonly string[];
  readonly bytes: Buffer;
  /** In how many others it came. */
  readonly depth: number;
}

/** A message that was forwarded more often is left out. */
const MAX_DEPTH = 5;

const textOf = (message: Message): string =>
  `${headingOf(message)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}\n\n${message.text}`;

/** A message and the files that came with it, each as a document of its own. */
async function* documentsOf({ mailbox, bytes, depth }: FoundMessage, options: MailOptions): AsyncGenerator<ForeignItem> {
  const { toPdf } = options;
  const hash = createHash('sha256').update(bytes).digest('hex');
  let message: Message;
  try {
    message = await readMessage(bytes);
  } catch (error) {
    yield { rest: { kind: 'message', name: hash, reason: `It cannot be read: ${reasonOf(error)}` } };
    return;
  }
  // a message names itself, but nothing keeps two from having one name
  const id = `${message.messageId ?? 'message'}/${hash.slice(0, 16)}`;
  const title = message.subject === '' ? `Message from ${message.from === '' ? 'nobody' : message.from}` : message.subject;
  const facts: Pick<ForeignDocument, 'addedAt' | 'documentDate' | 'labels' | 'correspondent' | 'notes'> = {
    addedAt: message.date,
    documentDate: message.date?.toISOString().slice(0, 10),
    labels: mailbox.length === 0 ? [] : [mailbox],
    correspondent: correspondentOf(message),
    notes: [],
  };
  const text = textOf(message);
  yield {
    document: {
      ...facts,
      id,
      title,
      filename: toPdf === undefined ? 'message.txt' : 'message.pdf',
      open: async () => (toPdf === undefined ? Readable.from([Buffer.from(text)], { objectMode: false }) : toPdf(toRtf(message))),
      pages: [text],
    },
  };
  for (const [index, { filename, bytes: content, isMessage }] of message.attachments.entries()) {
    if (isMessage && depth < MAX_DEPTH) yield* documentsOf({ mailbox, bytes: content, depth: depth + 1 }, options);
    else if (findKindByExtension(extensionOf(filename)) === undefined)
      yield { rest: { kind: 'attachment', name: filename, reason: 'Files of this kind are not imported', documentId: id } };
    else
      yield {
        document: {
          ...facts,
          id: `${id}/${index + 1}`,
          title: message.attachments.length === 1 && message.subject !== '' ? message.subject : undefined,
          filename,
          open: async () => Readable.from([content], { objectMode: false }),
        },
      };
  }
}

/** Folders of Maildir, which are no mailboxes of their own. */
const MAILDIR = new Set(['cur', 'new']);

/** The mailbox of a file by its path; subfolders of Maildir are called `.Work.Invoices`. */
const mailboxOf = (path: string, isMbox: boolean): string[] => {
  const parts = path.split('/');
  const folders = parts.slice(0, -1).filter((part) => !MAILDIR.has(part));
  const names = folders.flatMap((folder) => (folder.startsWith('.') ? folder.slice(1).split('.') : [folder.replace(/\.sbd$/, '')]));
  return (isMbox ? [...names, parts.at(-1)?.replace(/\.mbox$/i, '') ?? ''] : names).filter((name) => name !== '');
};

const beginsLikeMbox = async (file: WatchedFile, root: OpenRoot): Promise<boolean> => {
  for await (const chunk of await openFile(file, root)) return (chunk as Buffer).subarray(0, 5).toString('latin1') === 'From ';
  return false;
};

const isMessageFile = ({ path, name }: WatchedFile): boolean => MAILDIR.has(path.split('/').at(-2) ?? '') || /\.(?:eml|emlx)$/i.test(name);

/** What mail programs hide, and mailboxes without messages. */
const isIgnored = ({ name, facts }: WatchedFile): boolean => name.startsWith('.') || facts.sizeBytes === 0;

async function* readFile(file: WatchedFile, root: OpenRoot, options: MailOptions): AsyncGenerator<ForeignItem> {
  const left = (reason: string): ForeignItem => ({ rest: { kind: 'file', name: file.path, reason } });
  if (file.sort !== 'file') return yield left(file.sort === 'symlink' ? 'Links are not followed' : 'It is no file of its own');
  try {
    if (isMessageFile(file)) {
      yield* documentsOf(
        { mailbox: mailboxOf(file.path, false), bytes: await readSmall(file, root, MAX_MESSAGE_BYTES), depth: 0 },
        options,
      );
      return;
    }
    if (!(await beginsLikeMbox(file, root))) {
      if (!isIgnored(file)) yield left('It is no message, and no mbox file: it does not begin with "From "');
      return;
    }
    const mailbox = mailboxOf(file.path, true);
    for await (const message of readMbox(await openFile(file, root), MAX_MESSAGE_BYTES))
      if ('bytes' in message) yield* documentsOf({ mailbox, bytes: message.bytes, depth: 0 }, options);
      else yield left(`A message of ${message.tooLargeBytes} bytes is larger than ${MAX_MESSAGE_BYTES} bytes`);
  } catch (error) {
    yield left(`It cannot be read: ${reasonOf(error)}`);
  }
}

/** The folder of one mbox file, as if it were all that is in it. */
const openSingle = async (path: string): Promise<{ readonly root: OpenRoot; readonly file: WatchedFile } | undefined> => {
  const stats = await lstat(path).catch(() => undefined);
  const outcome = stats === undefined || !stats.isFile() ? undefined : await openRoot({ path: dirname(path) });
  if (stats === undefined || outcome?.kind !== 'open') return undefined;
  const name = basename(path);
  return {
    root: outcome.root,
    file: { path: name, name, fsPath: `${outcome.root.realPath}/${name}`, sort: sortOf(stats), facts: factsOf(stats) },
  };
};

/** Told once: that every message is another document than it could be. */
const AS_TEXT: ForeignItem = {
  rest: { kind: 'messages', name: 'PDF', reason: 'LibreOffice is not there, so messages become text files; with it they become PDFs' },
};

/**
 * The messages of an mbox file, of a Maildir, or of a folder with such or with .eml files, and the files that came with them. Throws an
 * ImportSourceError where there is neither.
 */
export async function* readMail(path: string, options: MailOptions, signal = new AbortController().signal): AsyncGenerator<ForeignItem> {
  if (options.toPdf === undefined) yield AS_TEXT;
  const single = await openSingle(path);
  if (single !== undefined) {
    if (!(await beginsLikeMbox(single.file, single.root)) && !isMessageFile(single.file))
      throw new ImportSourceError(`${path} is no mbox file: it does not begin with "From ".`);
    yield* readFile(single.file, single.root, options);
    return;
  }
  const outcome = await openRoot({ path });
  if (outcome.kind !== 'open') throw new ImportSourceError(`There is no file or folder ${path}.`);
  const { root } = outcome;
  yield* walkItems({ root, skipsFolder: ({ name }) => name === 'tmp', read: (file) => readFile(file, root, options), signal });
}

/** A message is printed so far; what is longer is a log or a newsletter, and its text is imported whole. */
const MAX_PRINTED_CHARACTERS = 500_000;

/** Text as RTF has it: nothing but ASCII, and nothing that RTF reads as a command. */
const escaped = (text: string): string => {
  let rtf = '';
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10) rtf += '\\line\n';
    else if (code === 9) rtf += '\\tab ';
    else if (code < 32) continue;
    else if (code === 92 || code === 123 || code === 125) rtf += `\\${text.charAt(at)}`;
    else rtf += code < 127 ? text.charAt(at) : `\\u${code > 32_767 ? code - 65_536 : code}?`;
  }
  return rtf;
};

/** The lines above the text of a message. */
const headingOf = ({ from, to, date, subject, attachments }: Message): readonly (readonly [name: string, value: string])[] =>
  (
    [
      ['From', from],
      ['To', to],
      ['Date', date === undefined ? '' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
      ['Subject', subject],
      ['Attachments', attachments.map(({ filename }) => filename).join(', ')],
    ] as const
  ).filter(([, value]) => value !== '');

/** A message as a page that can be printed: what stands above it, and its text. */
export const toRtf = (message: Message): Buffer => {
  const heading = headingOf(message).map(([name, value]) => `{\\b ${name}:} ${escaped(value)}\\par`);
  const text = message.text.slice(0, MAX_PRINTED_CHARACTERS);
  return Buffer.from(
    `{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0\\fswiss Liberation Sans;}}\\paperw11906\\paperh16838\\margl1134\\margr1134\\margt1134\\margb1134\\f0\\fs20\n${heading.join('\n')}\n\\par\n${escaped(text)}\\par}`,
    'latin1',
  );
};

/** A message of a mailbox: its bytes, or how large one was that is left out. */
type RawMessage = { readonly bytes: Buffer } | { readonly tooLargeBytes: number };

const LINE_FEED = 10;
const FROM = Buffer.from('From ');
const QUOTED_FROM = /^>+From /;

/** The lines of a stream with their ends; one that is longer than `maxBytes` comes in pieces. */
async function* linesOf(body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    let rest = chunk as Buffer;
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
      yield Buffer.concat([...parts, rest.subarray(0, end + 1)]);
      parts = [];
      size = 0;
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) parts.push(rest);
    size += rest.length;
    if (size <= maxBytes) continue;
    yield Buffer.concat(parts);
    parts = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(parts);
}

const isBlank = (line: Buffer): boolean => line.length === 1 || (line.length === 2 && line[0] === 13);

/** `>From ` in a message stands for `From ` (the mboxrd form; in the older mboxo form nothing else is quoted either). */
const unquoted = (line: Buffer): Buffer =>
  line[0] === 62 && QUOTED_FROM.test(line.subarray(0, 200).toString('latin1')) ? line.subarray(1) : line;

/**
 * The messages of an mbox file (RFC 4155): each begins with a line `From ` behind an empty line. In memory is one message at a time, of
 * at most `maxBytes`; what is larger is counted, not kept.
 */
export async function* readMbox(body: Readable, maxBytes: number): AsyncGenerator<RawMessage> {
  let lines: Buffer[] = [];
  let size = 0;
  let isOpen = false;
  let wasBlank = true;
  const close = (): RawMessage => (size > maxBytes ? { tooLargeBytes: size } : { bytes: Buffer.concat(lines) });
  for await (const line of linesOf(body, maxBytes)) {
    if (wasBlank && line.subarray(0, FROM.length).equals(FROM)) {
      if (isOpen) yield close();
      lines = [];
      size = 0;
      isOpen = true;
      wasBlank = false;
      continue;
    }
    wasBlank = isBlank(line);
    if (!isOpen) continue;
    size += line.length;
    if (size > maxBytes) lines = [];
    else lines.push(unquoted(line));
  }
  if (isOpen) yield close();
}
