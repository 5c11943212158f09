import { type ByteSource, openByteSource, openZip, UnreadableEntry, type ZipArchive, type ZipEntry } from '@sheaf/sandbox/containers';
import { UnreadablePart } from './xml-encoding.ts';

/** Enough to tell what a part is. */
const HEAD_BYTES = 1024;
/** A part that is changed is read twice, and its beginning once more. */
const READINGS = 3;

/** What a document and those inside of it share. */
export interface StripRun {
  /** What may still be unpacked. */
  readonly budget: { entries: number; bytes: number };
  readonly signal: AbortSignal;
}

export interface PackagePart {
  /** With `/` between folders. */
  readonly name: string;
  readonly entry: ZipEntry;
}

/** Reads a package as its directory says. What turns out to be different throws UnreadablePart; an abort throws its reason. */
export class PackageSource implements AsyncDisposable {
  readonly parts: readonly PackagePart[];
  readonly #source: ByteSource;
  readonly #archive: ZipArchive;
  readonly #signal: AbortSignal;

  private constructor(source: ByteSource, archive: ZipArchive, signal: AbortSignal) {
    this.#source = source;
    this.#archive = archive;
    this.#signal = signal;
    this.parts = archive.entries.map((entry) => ({ name: entry.nameBytes.toString('utf8').replaceAll('\\', '/'), entry }));
  }

  static async open(path: string, { budget, signal }: StripRun): Promise<PackageSource> {
    const source = await openByteSource(path);
    try {
      return new PackageSource(source, await openWithin(source, budget), signal);
    } catch (error) {
      await source[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The packed bytes of a part. */
  packed({ entry }: PackagePart): AsyncGenerator<Buffer> {
    return this.#read(this.#archive.packed(entry));
  }

  /** The content of a part. */
  content({ entry }: PackagePart): AsyncGenerator<Buffer> {
    return this.#read(this.#archive.contents(entry));
  }

  /** The beginning of the content of a part. */
  async head(part: PackagePart): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of this.content(part)) {
      pieces.push(piece);
      length += piece.length;
      if (length >= HEAD_BYTES) break;
    }
    return Buffer.concat(pieces).subarray(0, HEAD_BYTES);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#source[Symbol.asyncDispose]();
  }

  async *#read(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    this.#signal.throwIfAborted();
    try {
      for await (const piece of bytes) {
        yield piece;
        this.#signal.throwIfAborted();
      }
    } catch (error) {
      throw error instanceof UnreadableEntry ? new UnreadablePart(error.message, { cause: error }) : error;
    }
  }
}

const openWithin = async (source: ByteSource, budget: StripRun['budget']): Promise<ZipArchive> => {
  const maxWorkBytes = READINGS * (budget.bytes + source.sizeBytes);
  const opened = await openZip(source, { maxEntries: budget.entries, maxWorkBytes });
  if (!opened.ok) throw new UnreadablePart(opened.reason);
  const { archive } = opened;
  budget.entries -= archive.entries.length;
  for (const { unpackedBytes } of archive.entries) budget.bytes -= unpackedBytes;
  if (budget.bytes < 0 || archive.hasSharedBytes) throw new UnreadablePart('entries larger than the archive');
  return archive;
};
