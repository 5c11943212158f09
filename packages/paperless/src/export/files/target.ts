import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { AppError } from '@sheaf/contract';
import type { Document } from '@sheaf/db/schema';

/** A file of an export that is not a document. */
export interface OwnFile {
  readonly name: string;
  readonly content: string;
}

/** Where an export goes. Names have `/` between folders; they are plain, so none leads out of it. */
export interface ExportTarget extends AsyncDisposable {
  /**
   * Writes a file of the export, after comparing its bytes with those that it should have; says whether it was written or was there already.
   * Throws DamagedFileError where they are others, and then leaves no such file.
   */
  write(name: string, source: FileSource): Promise<{ readonly checksums: FileChecksums; readonly isNew: boolean }>;
  /** Adds text to the manifest, which is not to be seen before `finish`. */
  appendManifest(text: string): Promise<void>;
  /** Makes the export whole: the other files first, then the manifest. Removes what an earlier export wrote and this one has not. */
  finish(files: readonly OwnFile[]): Promise<{ readonly removed: number }>;
  /** Where it is, for people. */
  readonly path: string;
}

/** Why an export cannot be written to a place. */
export class TargetError extends Error {
  readonly code: 'target_not_empty' | 'target_exists' | 'target_not_folder' | 'target_unsafe';

  constructor(code: TargetError['code'], path: string) {
    super(`${code}: ${path}`);
    this.code = code;
    this.path = path;
  }

  readonly path: string;
}

export const MANIFEST = 'manifest.json';

/** The bytes of a document, to be copied. */
export interface FileSource {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
  /** Fails where they are gone, or cannot be read now. */
  open(): Promise<Readable>;
}

/** The hashes by which formats know files. */
export interface FileChecksums {
  readonly sha256: string;
  readonly md5: string;
}

/** The bytes that were read are not those that the document has. */
export class DamagedFileError extends Error {}

/** Takes the checksums of what goes through it. */
export class ChecksumMeter {
  readonly #sha256 = createHash('sha256');
  readonly #md5 = createHash('md5');
  sizeBytes = 0;

  async *through(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of bytes) {
      this.add(piece);
      yield piece;
    }
  }

  add(piece: Buffer): void {
    this.#sha256.update(piece);
    this.#md5.update(piece);
    this.sizeBytes += piece.length;
  }

  end(): FileChecksums {
    return { sha256: this.#sha256.digest('hex'), md5: this.#md5.digest('hex') };
  }

  /** The checksums of what went through. Throws DamagedFileError where that is not what `source` is said to be. */
  endAs({ sha256, sizeBytes }: FileSource): FileChecksums {
    const sums = this.end();
    if (this.sizeBytes !== sizeBytes || sums.sha256 !== sha256) throw new DamagedFileError(`${this.sizeBytes} bytes with another SHA-256`);
    return sums;
  }
}

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
