import { detectEinvoice } from '@sheaf/einvoice';
import {
  type ByteSource,
  type Container,
  OleFile,
  openByteSource,
  openZip,
  readCutArchive,
  type XmlHandler,
  XmlReader,
  type ZipArchive,
} from '@sheaf/sandbox/containers';
import type { FileKind } from '@sheaf/vocabulary/file-kinds';
import { compareKinds, type KindMatch, mismatch } from './signatures.ts';

/** A file that could not be read; what is wrong with its contents is a match. */
export interface UnreadFile {
  readonly unread: string;
}

/** The task of a thread of `TypeCheck`. An error of the system is told in words: on its way out of a thread it would lose its code. */
export default async (container: ContainerToMatch): Promise<KindMatch | UnreadFile> => {
  try {
    return await matchContainer(container);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return { unread: error.message };
    throw error;
  }
};

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

/** What the parts of an OOXML package are called in its table of contents. Templates and shows are read the same way. */
const OOXML_MAIN_PARTS: readonly (readonly [string, RegExp])[] = [
  ['docx', /wordprocessingml\.(?:document|template)\.main\+xml/],
  ['xlsx', /spreadsheetml\.(?:sheet|template)\.main\+xml/],
  ['pptx', /presentationml\.(?:presentation|template|slideshow)\.main\+xml/],
];
const ODF_TYPE = /^application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)(?:-template|-master)?$/;
const ODF_KINDS: Readonly<Record<string, string>> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' };
/** For a package that is cut off or damaged: the folder its parts lie in. Reading it will say that it is damaged. */
const FOLDERS: readonly (readonly [string, string])[] = [
  ['word/', 'docx'],
  ['xl/', 'xlsx'],
  ['ppt/', 'pptx'],
];

const MAX_PART_BYTES = 1024 * 1024;
const MAX_TYPE_BYTES = 512;
const LIMITS = { maxEntries: 100_000, maxWorkBytes: 4 * MAX_PART_BYTES };
const XML_LIMITS = { maxDepth: 100, maxChars: MAX_PART_BYTES };

/** The extension of the office document that the archive is, or undefined. Unpacks three small parts, bounded. */
const readZipKind = async (source: ByteSource): Promise<string | undefined> => {
  const opened = await openZip(source, LIMITS);
  if (!opened.ok) return opened.reason === 'damaged' ? kindOfCutArchive(source) : undefined;
  const { archive } = opened;
  return (await kindByMimeType(archive)) ?? (await kindByContentTypes(archive)) ?? (await kindByManifest(archive));
};

const kindOfOdfType = (type: string): string | undefined => ODF_KINDS[ODF_TYPE.exec(type.trim())?.[1] ?? ''];

const kindByMimeType = async (archive: ZipArchive): Promise<string | undefined> => {
  const pieces: Buffer[] = [];
  await readPart(archive, 'mimetype', (piece) => pieces.push(piece) > 0);
  return kindOfOdfType(Buffer.concat(pieces).toString('latin1', 0, MAX_TYPE_BYTES));
};

const kindByContentTypes = async (archive: ZipArchive): Promise<string | undefined> => {
  const types: string[] = [];
  await readXmlPart(archive, '[Content_Types].xml', { open: (_, attributes) => types.push(attributes['ContentType'] ?? '') });
  return OOXML_MAIN_PARTS.find(([, pattern]) => types.some((type) => pattern.test(type)))?.[0];
};

/** Some programs write OpenDocument without the `mimetype` entry, or damage it. */
const kindByManifest = async (archive: ZipArchive): Promise<string | undefined> => {
  let type = '';
  const open: XmlHandler['open'] = (name, attributes) => {
    if (name === 'manifest:file-entry' && attributes['manifest:full-path'] === '/') type ||= attributes['manifest:media-type'] ?? '';
  };
  await readXmlPart(archive, 'META-INF/manifest.xml', { open });
  return kindOfOdfType(type);
};

const readXmlPart = async (archive: ZipArchive, name: string, handler: XmlHandler): Promise<void> => {
  const reader = new XmlReader(handler, XML_LIMITS);
  await readPart(archive, name, (piece) => reader.write(piece));
  reader.end();
};

/** Nothing comes of a part that is absent or too large; of a damaged one only its beginning. It says nothing about the type then. */
const readPart = async (archive: ZipArchive, name: string, receive: (piece: Buffer) => boolean): Promise<void> => {
  const entry = archive.entries.find((candidate) => candidate.name === name);
  if (entry !== undefined && entry.unpackedBytes <= MAX_PART_BYTES) await archive.unpack(entry, receive);
};

const kindOfCutArchive = async (source: ByteSource): Promise<string | undefined> => {
  for (const { name, data } of await readCutArchive(source)) {
    const kind = FOLDERS.find(([folder]) => name.startsWith(folder))?.[1];
    if (kind !== undefined) return kind;
    if (name === 'mimetype') return kindOfOdfType(data.toString('latin1'));
  }
  return undefined;
};
