import type { Readable } from 'node:stream';
import { AppError } from '@sheaf/contract';
import type { BackupManifest, ConfigurationFileName } from './manifest.ts';

/** Small files cost rather steps than bytes. */
const AT_ONCE = 4;

/** Reads and hashes everything in the backup, and says what is wrong. Rejects where it cannot be read at all, or is aborted. */
export const verifyChecksums = async (reader: BackupReader, options: VerifyOptions = {}): Promise<readonly string[]> => {
  const findings: string[] = [];
  const { database, configuration } = reader.manifest;
  const look = async (work: () => Promise<unknown>): Promise<void> => {
    const finding = await findingOf(work);
    if (finding !== undefined) findings.push(finding);
  };
  for (const { name } of database.tables) await look(() => readAll(reader.table(name), options));
  for (const { name } of configuration.files) await look(() => reader.configuration(name));
  await look(() => verifyFiles(reader, look, options));
  await look(() => verifyPreviews(reader, look, options));
  return findings;
};

type Look = (work: () => Promise<unknown>) => Promise<void>;

const findingOf = async (work: () => Promise<unknown>): Promise<string | undefined> => {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'BACKUP_DAMAGED') return error.message;
    throw error;
  }
};

const verifyFiles = (reader: BackupReader, look: Look, options: VerifyOptions): Promise<void> =>
  lookAtEach(reader.listFiles(), look, ({ sha256 }) => readAll(reader.file(sha256), options));

const verifyPreviews = (reader: BackupReader, look: Look, options: VerifyOptions): Promise<void> =>
  lookAtEach(reader.listPreviews(), look, (preview) => readAll(reader.preview(preview), options));

const lookAtEach = async <T>(items: AsyncIterable<T>, look: Look, work: (item: T) => Promise<void>): Promise<void> => {
  for await (const _ of mapInOrder(items, AT_ONCE, (item) => look(() => work(item)))); // its findings are noted by `look`
};

const readAll = async (source: AsyncIterable<Buffer>, { signal, onFile }: VerifyOptions): Promise<void> => {
  let bytes = 0;
  for await (const chunk of source) {
    signal?.throwIfAborted();
    bytes += chunk.length;
  }
  onFile?.(bytes);
};

/** Does `work` for up to `atOnce` items at the same time, and gives the results in the order of the items. */
export const mapInOrder = async function* <T, R>(
  items: AsyncIterable<T>,
  atOnce: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const begun: Promise<R>[] = [];
  try {
    for await (const item of items) {
      const [first] = begun.length >= atOnce ? begun.splice(0, 1) : [];
      if (first !== undefined) yield await first;
      const next = work(item);
      next.catch(() => {}); // seen when it is its turn
      begun.push(next);
    }
    while (begun.length > 0) for (const first of begun.splice(0, 1)) yield await first;
  } finally {
    await Promise.allSettled(begun);
  }
};

interface VerifyOptions {
  readonly signal?: AbortSignal;
  /** Called for each table and each file that was read, with its bytes. */
  readonly onFile?: (bytes: number) => void;
}

export interface ListedFile {
  readonly sha256: string;
  readonly sizeBytes: number;
}

export interface ListedPreview {
  /** Of the document. */
  readonly documentSha256: string;
  readonly sizeBytes: number;
  /** Of the preview itself. */
  readonly sha256: string;
}

/** A backup that is read. Each stream fails with BACKUP_DAMAGED, at its end at the latest, where its bytes are not those of the manifest. */
export interface BackupReader extends AsyncDisposable {
  /** As it was given to `openBackup`. */
  readonly path: string;
  /** The folder that the files of the entry are read from: itself, or what an archive was unpacked to. */
  readonly folder: string;
  readonly manifest: BackupManifest;
  /** The text that COPY takes for the columns which the manifest names. */
  table(name: string): Readable;
  /** The original with this hash. */
  file(sha256: string): Readable;
  preview(preview: ListedPreview): Readable;
  /** All originals, in the order of their hashes. */
  listFiles(): AsyncIterable<ListedFile>;
  listPreviews(): AsyncIterable<ListedPreview>;
  /** A part of the configuration; undefined where the backup has none of it. */
  configuration(name: ConfigurationFileName): Promise<Buffer | undefined>;
  /** Reads and hashes everything. Says in words what is wrong with each damaged or missing file; nothing where all is right. */
  verifyChecksums(options?: VerifyOptions): Promise<readonly string[]>;
}
