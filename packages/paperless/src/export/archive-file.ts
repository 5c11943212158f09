import { createReadStream } from 'node:fs';
import { AppError } from '@sheaf/contract';
import type { Document } from '@sheaf/db/schema';
import { ChecksumMeter, type ExportTarget, type FileChecksums, type FileSource } from './files/target.ts';

/** A PDF with the text of a document, on this machine until it is disposed of. */
export interface ArchiveFile extends AsyncDisposable {
  readonly path: string;
}

/** The PDF of a document; undefined where it needs none, `failed` where it could not be made. */
export type FindArchiveFile = (document: Document) => Promise<ArchiveFile | 'failed' | undefined>;

const sourceOf = async (path: string, modifiedAt: Date): Promise<FileSource> => {
  const meter = new ChecksumMeter();
  for await (const piece of createReadStream(path)) meter.add(piece as Buffer);
  return { sha256: meter.end().sha256, sizeBytes: meter.sizeBytes, modifiedAt, open: async () => createReadStream(path) };
};

interface Written {
  readonly name: string;
  readonly checksums: FileChecksums;
  readonly isNew: boolean;
}

/**
 * Writes the PDF of a document, which Paperless-ngx calls its archive file, with the name that it is given. Throws what is wrong with the
 * target, the database or the storage.
 */
export const writeArchiveFile = async (
  { target, findArchiveFile }: { readonly target: ExportTarget; readonly findArchiveFile: FindArchiveFile },
  document: Document,
  makeName: () => string,
): Promise<Written | 'failed' | undefined> => {
  const found = await findArchiveFile(document).catch((error: unknown) => {
    // the document was deleted meanwhile, or its file is gone
    if (error instanceof AppError && error.kind === 'NOT_FOUND') return 'failed' as const;
    throw error;
  });
  if (found === undefined || found === 'failed') return found;
  await using file = found;
  const name = makeName();
  return { name, ...(await target.write(name, await sourceOf(file.path, document.createdAt))) };
};
