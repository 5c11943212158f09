import { detectEinvoice } from '@sheaf/einvoice';
import { type ByteSource, type Container, OleFile, openByteSource } from '@sheaf/sandbox/containers';
import type { FileKind } from '@sheaf/vocabulary/file-kinds';
import { compareKinds, type KindMatch, mismatch } from './kind-match.ts';
import { readZipKind } from './zip-kind.ts';

/** What an OLE compound file holds. `kinds` are the extensions it may have. */
interface OleKind {
  readonly kinds: readonly string[];
  readonly name?: string;
}

/** The stream in the root folder that tells the program. */
const STREAMS: ReadonlyMap<string, OleKind> = new Map([
  ['WordDocument', { kinds: ['doc'] }],
  ['Workbook', { kinds: ['xls'] }],
  ['Book', { kinds: ['xls'] }], // Excel 5
  ['PowerPoint Document', { kinds: ['ppt'] }],
  ['PP97_DUALSTORAGE', { kinds: ['ppt'] }],
  // Which of the three it is can be seen only with the password; reading says that it is protected.
  ['EncryptedPackage', { kinds: ['docx', 'xlsx', 'pptx'], name: 'a password-protected office document' }],
]);

/** Undefined for a damaged compound file or one of another program. */
const readOleKind = async (source: ByteSource): Promise<OleKind | undefined> => {
  const file = await OleFile.open(source);
  return file?.names.map((name) => STREAMS.get(name)).find((kind) => kind !== undefined);
};

export interface ContainerToMatch {
  readonly content: Uint8Array | string;
  readonly container: Container | 'xml';
  readonly declared: FileKind;
}

/** A licence text may stand before the root element. */
const XML_HEAD_BYTES = 64 * 1024;

const matchXml = async (source: ByteSource): Promise<KindMatch> =>
  detectEinvoice(await source.read(0, XML_HEAD_BYTES)) === undefined ? { isMatch: false, notEinvoice: true } : { isMatch: true };

/** Looks into a ZIP archive, a compound file or the beginning of XML. It is a stranger's: done in a thread of `TypeCheck`. */
export const matchContainer = async ({ content, container, declared }: ContainerToMatch): Promise<KindMatch> => {
  await using source = await openByteSource(content);
  if (container === 'xml') return await matchXml(source);
  if (container === 'ole') {
    const kind = await readOleKind(source);
    return kind === undefined ? mismatch('an unknown OLE container') : compareKinds(kind.kinds, declared, kind.name);
  }
  const kind = await readZipKind(source);
  return kind === undefined ? mismatch('a ZIP archive') : compareKinds([kind], declared, undefined);
};
