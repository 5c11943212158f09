import { type ByteSource, openByteSource } from '@sheaf/containers';
import type { FileKind } from '@sheaf/contract';
import { fileTypeFromBuffer } from 'file-type';
import { readOleKind } from './ole-kind.ts';
import { findSignature, hasPdfHeader, PLAIN_NAMES, type Signature } from './signatures.ts';
import { looksLikeText } from './text-kind.ts';
import { readZipKind } from './zip-kind.ts';

/** Whether the bytes are what the name says; `found` says in words what they are instead, where that is known. */
export type KindMatch = { readonly isMatch: true } | { readonly isMatch: false; readonly found?: string | undefined };

const HEAD_BYTES = 4_100;

/** Compares bytes, or the file at a path, with the kind its name declares. Reads a few places, never the whole file. */
export const matchKind = async (content: Buffer | string, declared: FileKind): Promise<KindMatch> => {
  await using source = await openByteSource(content);
  return await match(source, declared); // awaited here, or the file would be closed too early
};

const match = async (source: ByteSource, declared: FileKind): Promise<KindMatch> => {
  const head = await source.read(0, HEAD_BYTES);
  const signature = findSignature(head);
  if (signature !== undefined) return matchSignature(source, signature, declared);
  if (declared.family === 'text') return (await looksLikeText(source)) ? { isMatch: true } : mismatch(await describe(head));
  const found = await describe(head);
  // Printers and gateways put a few lines in front of a PDF, and every reader copes; a program or a picture there is another matter.
  if (declared.family === 'pdf' && found === undefined && hasPdfHeader(head)) return { isMatch: true };
  return mismatch(found ?? ((await looksLikeText(source)) ? 'plain text' : undefined));
};

const mismatch = (found: string | undefined): KindMatch => ({ isMatch: false, found });

const compare = (kinds: readonly string[], declared: FileKind, found: string | undefined): KindMatch =>
  kinds.includes(declared.extensions[0])
    ? { isMatch: true }
    : mismatch(found ?? kinds.map((kind) => PLAIN_NAMES[kind] ?? kind).join(' or '));

const matchSignature = async (source: ByteSource, signature: Signature, declared: FileKind): Promise<KindMatch> => {
  if (signature === 'ole') {
    const kind = await readOleKind(source);
    return kind === undefined ? mismatch('an unknown OLE container') : compare(kind.kinds, declared, kind.name);
  }
  if (signature === 'zip') {
    const kind = await readZipKind(source);
    return kind === undefined ? mismatch('a ZIP archive') : compare([kind], declared, undefined);
  }
  return compare([signature], declared, undefined);
};

/** What a foreign file is, in words. Its first bytes are all that is looked at. */
const describe = async (head: Uint8Array): Promise<string | undefined> => {
  const type = await fileTypeFromBuffer(head).catch(() => undefined); // a hostile header is of no known type
  return type && `of the type ${type.mime}`;
};
