import { type FileHandle, open, rm } from 'node:fs/promises';
import { AppError } from '@sheaf/contract';
import { previewKey, type Storage } from '@sheaf/storage';
import type { EntryWriter } from './archive-writer.ts';
import { FILES_LIST, PREVIEWS_LIST, previewName } from './backup-list.ts';
import {
  type KeepDeps,
  type KeptOriginal,
  keepOriginal,
  type Origin,
  type Original,
  ReadFailed,
  readOriginals,
  tryLink,
  writeMeasured,
} from './keep-original.ts';
import type { BackupManifest, ListedFiles, MissingFile } from './manifest.ts';
import { type Measure, RunningMeasure } from './measure.ts';
import { mapInOrder } from './verify-checksums.ts';

/** Enough to keep a disk busy, and to hide the way to a storage that is far. */
const AT_ONCE = 8;

/** How many originals came from where. */
export type FileTally = Readonly<Record<Origin, number>> & {
  /** Those that were read from the storage. */
  readonly copiedBytes: number;
};

export interface KeepFilesOptions {
  /** The list that `dumpDatabase` wrote. */
  readonly originalsPath: string;
  /** Called for each file that is in the entry, or lost. */
  readonly onFile: (sizeBytes: number) => void;
}

/** Puts the originals of the snapshot into the entry, with their list. */
export const keepOriginals = async (
  deps: KeepDeps,
  { originalsPath, onFile }: KeepFilesOptions,
): Promise<{ files: BackupManifest['files']; tally: FileTally }> => {
  await using list = await ListWriter.open(deps.writer, FILES_LIST);
  const missing: MissingFile[] = [];
  const tally = { linked: 0, resumed: 0, copied: 0, rescued: 0, copiedBytes: 0 };
  for await (const { original, kept } of keepEach(deps, originalsPath)) {
    onFile(original.sizeBytes);
    if (kept.kind === 'lost') {
      missing.push({ sha256: original.sha256, document_ids: [...original.documentIds], reason: kept.reason });
      continue;
    }
    tally[kept.origin] += 1;
    if (kept.origin === 'copied') tally.copiedBytes += kept.sizeBytes;
    await list.add(`${original.sha256} ${kept.sizeBytes}`, kept.sizeBytes);
  }
  return { files: { ...(await list.finish()), missing }, tally };
};

const keepEach = (deps: KeepDeps, originalsPath: string): AsyncIterable<{ original: Original; kept: KeptOriginal }> =>
  mapInOrder(readOriginals(originalsPath), AT_ONCE, async (original) => {
    deps.signal.throwIfAborted();
    return { original, kept: await keepOriginal(deps, original) };
  });

/** Puts the previews of the originals into the entry, with their list. */
export const keepPreviews = async (deps: KeepDeps, { originalsPath, onFile }: KeepFilesOptions): Promise<BackupManifest['previews']> => {
  await using list = await ListWriter.open(deps.writer, PREVIEWS_LIST);
  for await (const { original, kept } of keepEachPreview(deps, originalsPath)) {
    if (kept === undefined) continue;
    onFile(kept.bytes);
    await list.add(`${original.sha256} ${kept.bytes} ${kept.sha256}`, kept.bytes);
  }
  return await list.finish();
};

const keepEachPreview = (deps: KeepDeps, originalsPath: string): AsyncIterable<{ original: Original; kept: Measure | undefined }> =>
  mapInOrder(withPreviews(originalsPath), AT_ONCE, async (original) => {
    deps.signal.throwIfAborted();
    return { original, kept: await keepPreview(deps, original.sha256) };
  });

const withPreviews = async function* (originalsPath: string): AsyncGenerator<Original> {
  for await (const original of readOriginals(originalsPath)) if (original.hasPreview) yield original;
};

/**
 * Puts the PDF rendition of a document into the entry and says what it is. Undefined where there is none, or it cannot be read: it can be made again,
 * which costs time and loses nothing.
 */
const keepPreview = async ({ storage, writer, earlier, signal }: KeepDeps, documentSha256: string): Promise<Measure | undefined> => {
  const stored = await storage.stat(previewKey(documentSha256));
  if (stored === undefined) return undefined;
  const name = previewName(documentSha256);
  const path = await writer.pathFor(name);
  const whole = await earlier.findPreview(documentSha256, stored.sizeBytes);
  if (whole !== undefined && (await tryLink(whole.path, path))) {
    await writer.take(name, { isSynced: true });
    return whole.measure;
  }
  const measure = await copyPreview(storage, documentSha256, path, signal);
  if (measure === undefined) return undefined;
  await writer.take(name);
  return measure;
};

const copyPreview = async (storage: Storage, documentSha256: string, path: string, signal: AbortSignal): Promise<Measure | undefined> => {
  try {
    const { stream } = await storage.open(previewKey(documentSha256));
    return await writeMeasured(stream, path, signal);
  } catch (error) {
    await rm(path, { force: true });
    if (error instanceof ReadFailed || (error instanceof AppError && error.code === 'FILE_MISSING')) return undefined;
    throw error;
  }
};

/** Many lines make one write. */
const BUFFERED_LINES = 2_000;

/** Writes a list of files of the entry, line by line, and counts what is in it. */
class ListWriter implements AsyncDisposable {
  readonly #writer: EntryWriter;
  readonly #name: string;
  readonly #handle: FileHandle;
  readonly #measure = new RunningMeasure();
  #lines: string[] = [];
  #count = 0;
  #bytes = 0;

  private constructor(writer: EntryWriter, name: string, handle: FileHandle) {
    this.#writer = writer;
    this.#name = name;
    this.#handle = handle;
  }

  static async open(writer: EntryWriter, name: string): Promise<ListWriter> {
    return new ListWriter(writer, name, await open(await writer.pathFor(name), 'wx', 0o600));
  }

  /** Notes a file of `sizeBytes` by its line. */
  async add(line: string, sizeBytes: number): Promise<void> {
    this.#count += 1;
    this.#bytes += sizeBytes;
    this.#lines.push(`${line}\n`);
    if (this.#lines.length >= BUFFERED_LINES) await this.#flush();
  }

  /** Puts the list into the entry and says what it lists. */
  async finish(): Promise<ListedFiles> {
    await this.#flush();
    await this.#handle.close();
    await this.#writer.take(this.#name);
    return { count: this.#count, bytes: this.#bytes, list_sha256: this.#measure.finish().sha256 };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#handle.close(); // a second time does nothing
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#lines.join(''), 'latin1');
    this.#lines = [];
    this.#measure.add(bytes);
    await this.#handle.writeFile(bytes);
  }
}
