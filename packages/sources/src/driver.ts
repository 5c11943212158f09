import type { Readable } from 'node:stream';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';

/** A file as a source lists it. */
export interface RemoteFile {
  /** Below the source's root, decoded, with `/` between folders; never absolute, never with `.` or `..`. How the service knows it. */
  readonly path: string;
  readonly sizeBytes: number | undefined;
  readonly modifiedAt: Date | undefined;
  /** As the server gives it, weak ones with their `W/`. */
  readonly etag: string | undefined;
}

/** Something that a listing found and that is never taken in: a link, a name out of the root, a name that is no text. */
export interface RefusedEntry {
  /** Where it can be no path, as far as it can be shown: control characters are escaped, what is too long is cut. */
  readonly path: string;
  readonly reason: LedgerReason;
  /** Whether it is, or may be, a folder: then nothing was learnt of what is below it, which is not the same as being gone. */
  readonly isFolder: boolean;
}

export interface Listing {
  readonly files: readonly RemoteFile[];
  readonly refused: readonly RefusedEntry[];
}

/** An open file. What it says of itself goes before what the listing said. */
export interface OpenedFile {
  /** Destroy it when it is not read to its end. Fails with a SourceError when it breaks off or is shorter or longer than announced. */
  readonly body: Readable;
  readonly sizeBytes: number | undefined;
  readonly modifiedAt: Date | undefined;
  readonly etag: string | undefined;
  /** Asked when the body was read to its end: whether it was the listed file, and all the time, as far as the source can tell. */
  readonly isUnchanged: () => Promise<boolean>;
}

/** One kind of place that files come from. Every method throws SourceError, or the signal's reason when aborted. */
export interface SourceDriver {
  /** Reaches the root with the credentials. */
  check(signal: AbortSignal): Promise<void>;
  /**
   * Everything below the root in batches of bounded size; holds no more than a few batches, whatever the size of the source. Each
   * file comes once, unless a server names it twice in one answer. Ends by itself on circles. A listing that ended without an error
   * is complete, except below refused folders. An answer is read while the batches are taken: take them quickly, or the server
   * gives up.
   */
  list(signal: AbortSignal): AsyncIterable<Listing>;
  /** SourceError not_found when it is gone, changed when the source says that it is another file by now. */
  open(file: RemoteFile, signal: AbortSignal): Promise<OpenedFile>;
  close(): Promise<void>;
}
