import { type ByteSource, openByteSource } from '@sheaf/sandbox/containers';
import type { FileKind } from '@sheaf/vocabulary/file-kinds';
import { fileTypeFromBuffer } from 'file-type';
import { compareKinds, type KindMatch, mismatch } from './kind-match.ts';
import type { ContainerToMatch } from './match-container.ts';
import { findSignature, hasPdfHeader } from './signatures.ts';
import { looksLikeText } from './text-kind.ts';

const HEAD_BYTES = 4_100;

/**
 * Compares bytes, or the file at a path, with the kind its name declares. Reads a few places, never the whole file: its first
 * bytes, and samples of what may be text. Containers and XML are left to `lookInto`.
 */
export const matchKind = async (
  content: Buffer | string,
  declared: FileKind,
  lookInto: (container: ContainerToMatch) => Promise<KindMatch>,
): Promise<KindMatch> => {
  await using source = await openByteSource(content);
  const head = await source.read(0, HEAD_BYTES);
  const signature = findSignature(head);
  // awaited here, or the file would be closed too early
  if (signature === undefined && declared.family === 'einvoice')
    return (await looksLikeText(source)) ? await lookInto({ content, container: 'xml', declared }) : mismatch(await describe(head));
  if (signature === undefined) return await matchUnsigned(source, head, declared);
  if (signature !== 'zip' && signature !== 'ole') return compareKinds([signature], declared, undefined);
  return await lookInto({ content, container: signature, declared });
};

const matchUnsigned = async (source: ByteSource, head: Buffer, declared: FileKind): Promise<KindMatch> => {
  if (declared.family === 'text') return (await looksLikeText(source)) ? { isMatch: true } : mismatch(await describe(head));
  const found = await describe(head);
  // Printers and gateways put a few lines in front of a PDF, and every reader copes; a program or a picture there is another matter.
  if (declared.family === 'pdf' && found === undefined && hasPdfHeader(head)) return { isMatch: true };
  return mismatch(found ?? ((await looksLikeText(source)) ? 'plain text' : undefined));
};

/** What a foreign file is, in words. Its first bytes are all that is looked at. */
const describe = async (head: Uint8Array): Promise<string | undefined> => {
  const type = await fileTypeFromBuffer(head).catch(() => undefined); // a hostile header is of no known type
  return type && `of the type ${type.mime}`;
};
