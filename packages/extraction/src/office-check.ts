import type { FailureReason } from '@sheaf/contract';
import { CompoundFile, isCompoundFile } from './compound-file.ts';
import type { ExtractionLimits } from './limits.ts';
import { isZip, readZipDirectory, type ZipEntry } from './zip-directory.ts';
import { readZipText } from './zip-entry.ts';

/** An office file is a container of one of three kinds; LibreOffice would open anything else too, web pages with links included. */
const RTF_START = /^\s*\{\\rtf/;

export type ArchiveLimits = Pick<ExtractionLimits, 'archiveRatio' | 'archiveEntries' | 'archiveBytes'>;

const MIB = 1024 * 1024;
/** Small files may pack as they like. */
const RATIO_MATTERS_FROM_BYTES = 64 * MIB;

/** Looks into an office file before any program opens it. Undefined: nothing speaks against opening it. */
export const checkOfficeFile = (bytes: Buffer, limits: ArchiveLimits): FailureReason | undefined => {
  if (isZip(bytes)) return checkZip(bytes, limits);
  if (isCompoundFile(bytes)) return isEncryptedCompound(new CompoundFile(bytes)) ? 'encrypted' : undefined;
  return RTF_START.test(bytes.toString('latin1', 0, 64)) ? undefined : 'corrupt';
};

const checkZip = (bytes: Buffer, { archiveRatio, archiveEntries, archiveBytes }: ArchiveLimits): FailureReason | undefined => {
  const entries = readZipDirectory(bytes);
  if (entries === undefined) return 'corrupt';
  const unpacked = entries.reduce((sum, entry) => sum + entry.unpackedBytes, 0);
  const packed = Math.max(
    1,
    entries.reduce((sum, entry) => sum + entry.packedBytes, 0),
  );
  if (entries.length > archiveEntries || unpacked > archiveBytes) return 'unpacks_too_large';
  if (unpacked > RATIO_MATTERS_FROM_BYTES && unpacked / packed > archiveRatio) return 'unpacks_too_large';
  return entries.some((entry) => entry.isEncrypted) || isEncryptedOpenDocument(bytes, entries) ? 'encrypted' : undefined;
};

const MANIFEST = 'META-INF/manifest.xml';
const MAX_MANIFEST_BYTES = 4 * MIB;

/** OpenDocument encrypts entry by entry and says so in its manifest. */
const isEncryptedOpenDocument = (bytes: Buffer, entries: readonly ZipEntry[]): boolean => {
  const manifest = entries.find((entry) => entry.name === MANIFEST);
  return manifest !== undefined && readZipText(bytes, manifest, MAX_MANIFEST_BYTES)?.includes('encryption-data') === true;
};

const isEncryptedCompound = (file: CompoundFile): boolean =>
  file.has('EncryptedPackage') || isEncryptedWord(file) || isEncryptedSheet(file) || isEncryptedSlides(file);

/** The FIB at the start of the stream: magic number, then at 10 the flags. */
const isEncryptedWord = (file: CompoundFile): boolean => {
  const fib = file.read('WordDocument', 12);
  return fib !== undefined && fib.length === 12 && fib.readUInt16LE(0) >= 0xa5dc && (fib.readUInt16LE(10) & 0x0100) !== 0;
};

const FILE_PASS = 0x002f;
const BOUND_SHEET = 0x0085;

/** Records of type, length, data: FILEPASS stands before the list of sheets. A sheet that is only protected has it too, with the built-in password, which LibreOffice knows. */
const isEncryptedSheet = (file: CompoundFile): boolean => {
  const book = file.read('Workbook', 64 * 1024) ?? file.read('Book', 64 * 1024);
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
const isEncryptedSlides = (file: CompoundFile): boolean => {
  const user = file.read('Current User', 16);
  return user !== undefined && user.length === 16 && user.readUInt32LE(12) === ENCRYPTED_SLIDES;
};
