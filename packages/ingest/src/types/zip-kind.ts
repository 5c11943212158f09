import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { ByteSource } from './byte-source.ts';

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

const END_SIGNATURE = Buffer.from('504b0506', 'hex');
const MAX_COMMENT_BYTES = 65_535;
const MAX_DIRECTORY_BYTES = 4 * 1024 * 1024;
const MAX_ENTRY_BYTES = 1024 * 1024;
const LOCAL_SCAN_BYTES = 256 * 1024;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly packedBytes: number;
  readonly offset: number;
}

const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

/** The extension of the office document that the archive is, or undefined. Unpacks two small entries, bounded. */
export const readZipKind = async (source: ByteSource): Promise<string | undefined> => {
  const entries = await readDirectory(source);
  if (entries === undefined) return kindOfCutArchive(source);
  const kind = (await kindByMimeType(source, entries)) ?? (await kindByContentTypes(source, entries));
  return kind ?? (await kindByManifest(source, entries));
};

const kindOfOdfType = (type: string): string | undefined => ODF_KINDS[ODF_TYPE.exec(type.trim())?.[1] ?? ''];

const kindByMimeType = async (source: ByteSource, entries: readonly Entry[]): Promise<string | undefined> =>
  kindOfOdfType(await readText(source, entries, 'mimetype'));

const kindByContentTypes = async (source: ByteSource, entries: readonly Entry[]): Promise<string | undefined> => {
  const types = await readText(source, entries, '[Content_Types].xml');
  return OOXML_MAIN_PARTS.find(([, pattern]) => pattern.test(types))?.[0];
};

/** Some programs write OpenDocument without the `mimetype` entry, or damage it. */
const kindByManifest = async (source: ByteSource, entries: readonly Entry[]): Promise<string | undefined> => {
  const manifest = await readText(source, entries, 'META-INF/manifest.xml');
  const root = /<manifest:file-entry\b[^>]*manifest:full-path="\/"[^>]*>/.exec(manifest)?.[0] ?? '';
  return kindOfOdfType(/manifest:media-type="([^"]*)"/.exec(root)?.[1] ?? '');
};

/** The entries of the central directory; undefined when the archive has no readable one. */
const readDirectory = async (source: ByteSource): Promise<Entry[] | undefined> => {
  const tailBytes = Math.min(source.sizeBytes, MAX_COMMENT_BYTES + 22);
  const tail = await source.read(source.sizeBytes - tailBytes, tailBytes);
  const end = tail.lastIndexOf(END_SIGNATURE);
  if (end < 0 || end + 22 > tail.length) return undefined;
  const [bytes, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (bytes > MAX_DIRECTORY_BYTES || offset > source.sizeBytes) return undefined;
  return parseDirectory(await source.read(offset, bytes));
};

const parseDirectory = (directory: Buffer): Entry[] => {
  const entries: Entry[] = [];
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === 0x02_01_4b_50; ) {
    const nameBytes = directory.readUInt16LE(at + 28);
    entries.push({
      name: directory.toString('utf8', at + 46, at + 46 + nameBytes),
      method: directory.readUInt16LE(at + 10),
      packedBytes: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    });
    at += 46 + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
};

/** The text of one entry; empty where it is absent, too large or damaged. */
const readText = async (source: ByteSource, entries: readonly Entry[], name: string): Promise<string> => {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry === undefined || entry.packedBytes > MAX_ENTRY_BYTES) return '';
  const local = await source.read(entry.offset, 30);
  if (local.length < 30) return '';
  const start = entry.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
  const packed = await source.read(start, entry.packedBytes);
  if (entry.method === 0) return packed.toString('utf8');
  try {
    return (await inflate(packed, { maxOutputLength: MAX_ENTRY_BYTES })).toString('utf8');
  } catch {
    return ''; // damaged, packed in an unusual way, or a bomb: it says nothing about the type
  }
};

/** Names in the local headers of the first part of the file. */
const kindOfCutArchive = async (source: ByteSource): Promise<string | undefined> => {
  const start = await source.read(0, LOCAL_SCAN_BYTES);
  for (let at = start.indexOf('PK\u0003\u0004'); at >= 0 && at + 30 <= start.length; at = start.indexOf('PK\u0003\u0004', at + 4)) {
    const dataAt = at + 30 + start.readUInt16LE(at + 26) + start.readUInt16LE(at + 28);
    const name = start.toString('utf8', at + 30, at + 30 + start.readUInt16LE(at + 26));
    const kind = FOLDERS.find(([folder]) => name.startsWith(folder))?.[1];
    if (kind !== undefined) return kind;
    if (name === 'mimetype') return kindOfOdfType(start.toString('utf8', dataAt, dataAt + start.readUInt32LE(at + 18)));
  }
  return undefined;
};
