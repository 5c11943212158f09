import type { Readable } from 'node:stream';
import type { BackupManifest, ConfigurationFileName } from './manifest.ts';

export interface VerifyOptions {
  readonly signal?: AbortSignal;
  /** Told of each table and each file that was read, with its bytes. */
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
