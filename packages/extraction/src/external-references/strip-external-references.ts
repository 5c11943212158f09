import { copyFile, type FileHandle, open } from 'node:fs/promises';
import type { ArchiveLimits } from '../office/office-check.ts';
import type { StripRun } from './package-source.ts';
import { isRtf, isZipArchive } from './part-content.ts';
import type { ReferenceCounts } from './reference-kinds.ts';
import { stripPackage } from './strip-package.ts';
import { stripRtf } from './strip-rtf.ts';
import { UnreadablePart } from './unreadable-part.ts';

/** `corrupt`: it cannot be told what the file refers to, so it must not be opened; `why` is for the log. */
export type StripOutcome =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'stripped'; readonly counts: ReferenceCounts }
  | { readonly kind: 'corrupt'; readonly why: string };

/** A document in a document in a document; deeper ones are emptied. */
const MAX_NESTING = 3;
const HEAD_BYTES = 512;

/**
 * Writes a copy of an office file to `outputPath` (which must not exist) that refers to nothing outside of itself, so that
 * LibreOffice loads no other file and no URL for it. Hyperlinks stay. Reads ZIP packages and RTF; the binary formats of old are
 * copied as they are. Takes time in proportion to the size of the file and memory that does not grow with it. Throws the reason of `signal` when that is aborted.
 */
export const stripExternalReferences = async (
  inputPath: string,
  outputPath: string,
  { archiveEntries, archiveBytes }: ArchiveLimits,
  signal: AbortSignal,
): Promise<StripOutcome> => {
  try {
    const budget = { entries: archiveEntries, bytes: archiveBytes };
    const counts = await strip(inputPath, outputPath, { budget, signal }, 0);
    return Object.keys(counts).length === 0 ? { kind: 'unchanged' } : { kind: 'stripped', counts };
  } catch (error) {
    if (error instanceof UnreadablePart) return { kind: 'corrupt', why: error.message };
    throw error;
  }
};

const strip = async (input: string, output: string, run: StripRun, nesting: number): Promise<ReferenceCounts> => {
  const head = await headOf(input);
  if (isZipArchive(head)) {
    if (nesting > MAX_NESTING) throw new UnreadablePart('too many nested documents');
    return stripPackage(input, output, run, (inner, stripped) => strip(inner, stripped, run, nesting + 1));
  }
  if (isRtf(head)) return stripRtf(input, output, run.signal);
  await copyFile(input, output);
  return {};
};

const headOf = async (path: string): Promise<Buffer> => {
  await using file: FileHandle = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
};
