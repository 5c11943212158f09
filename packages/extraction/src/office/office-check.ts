import { type ByteSource, findContainer, OleFile, openZip, XmlReader, type ZipArchive, type ZipEntry } from '@sheaf/sandbox/containers';
import type { FailureReason } from '@sheaf/vocabulary/extraction-failures';
import type { ExtractionLimits } from '../extraction.ts';

/** An office file is a container of one of three kinds; LibreOffice would open anything else too, web pages with links included. */
const RTF_START = /^\s*\{\\rtf/;

export type ArchiveLimits = Pick<ExtractionLimits, 'archiveRatio' | 'archiveEntries' | 'archiveBytes'>;

const MIB = 1024 * 1024;
/** Small files may pack as they like. */
const RATIO_MATTERS_FROM_BYTES = 64 * MIB;
const HEAD_BYTES = 64;

/** Looks into an office file before any program opens it. Undefined: nothing speaks against opening it. */
export const checkOfficeFile = async (source: ByteSource, limits: ArchiveLimits): Promise<FailureReason | undefined> => {
  const head = await source.read(0, HEAD_BYTES);
  const container = findContainer(head);
  if (container === 'zip') return checkZip(source, limits);
  if (container === 'ole') return checkCompound(await OleFile.open(source));
  return RTF_START.test(head.toString('latin1')) ? undefined : 'corrupt';
};

const checkZip = async (source: ByteSource, limits: ArchiveLimits): Promise<FailureReason | undefined> => {
  const opened = await openZip(source, { maxEntries: limits.archiveEntries, maxWorkBytes: MAX_MANIFEST_BYTES });
  if (!opened.ok) return opened.reason === 'damaged' ? 'corrupt' : 'unpacks_too_large';
  const { archive } = opened;
  // An entry that others share bytes with is packed once and unpacked as often as the directory likes.
  if (archive.hasSharedBytes || isBomb(archive.entries, limits)) return 'unpacks_too_large';
  return archive.entries.some((entry) => entry.isEncrypted) || (await isEncryptedOpenDocument(archive)) ? 'encrypted' : undefined;
};

const isBomb = (entries: readonly ZipEntry[], { archiveRatio, archiveBytes }: ArchiveLimits): boolean => {
  const unpacked = entries.reduce((sum, entry) => sum + entry.unpackedBytes, 0);
  const packed = entries.reduce((sum, entry) => sum + entry.packedBytes, 0);
  return unpacked > archiveBytes || (unpacked > RATIO_MATTERS_FROM_BYTES && unpacked / Math.max(1, packed) > archiveRatio);
};

const MANIFEST = 'META-INF/manifest.xml';
const MAX_MANIFEST_BYTES = 8 * MIB;
const MANIFEST_LIMITS = { maxDepth: 100, maxChars: MAX_MANIFEST_BYTES };

/** OpenDocument encrypts entry by entry and says so in its manifest. */
const isEncryptedOpenDocument = async (archive: ZipArchive): Promise<boolean> => {
  const manifest = archive.entries.find((entry) => entry.name === MANIFEST);
  if (manifest === undefined) return false;
  let isEncrypted = false;
  const open = (name: string): void => {
    isEncrypted ||= name === 'encryption-data' || name.endsWith(':encryption-data');
  };
  const reader = new XmlReader({ open }, MANIFEST_LIMITS);
  await archive.unpack(manifest, (piece) => reader.write(piece) && !isEncrypted);
  return isEncrypted;
};

const checkCompound = async (file: OleFile | undefined): Promise<FailureReason | undefined> => {
  if (file === undefined) return 'corrupt';
  const isEncrypted =
    file.has('EncryptedPackage') || (await isEncryptedWord(file)) || (await isEncryptedSheet(file)) || (await isEncryptedSlides(file));
  return isEncrypted ? 'encrypted' : undefined;
};

/** The FIB at the start of the stream: magic number, then at 10 the flags. */
const isEncryptedWord = async (file: OleFile): Promise<boolean> => {
  const fib = await file.read('WordDocument', 12);
  return fib !== undefined && fib.length === 12 && fib.readUInt16LE(0) >= 0xa5dc && (fib.readUInt16LE(10) & 0x0100) !== 0;
};

const FILE_PASS = 0x002f;
const BOUND_SHEET = 0x0085;

/** Records of type, length, data: FILEPASS stands before the list of sheets. A sheet that is only protected has it too, with the built-in password, which LibreOffice knows. */
const isEncryptedSheet = async (file: OleFile): Promise<boolean> => {
  const book = (await file.read('Workbook', 64 * 1024)) ?? (await file.read('Book', 64 * 1024));
  if (book === undefined) return false;
  for (let at = 0; at + 4 <= book.length; at += 4 + book.readUInt16LE(at + 2)) {
    const type = book.readUInt16LE(at);
    if (type === FILE_PASS) return true;
    if (type === BOUND_SHEET) return false;
  }
  return false;
};

const ENCRYPTED_SLIDES = 0xf3d1c4df;

/** The header token of the current user atom. */
const isEncryptedSlides = async (file: OleFile): Promise<boolean> => {
  const user = await file.read('Current User', 16);
  return user !== undefined && user.length === 16 && user.readUInt32LE(12) === ENCRYPTED_SLIDES;
};
