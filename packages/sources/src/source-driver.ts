import type { Readable } from 'node:stream';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import type { SourceErrorCode } from '@sheaf/vocabulary/sources';

const TRANSIENT: ReadonlySet<SourceErrorCode> = new Set(['unreachable', 'timeout', 'throttled', 'server_error']);

/** Callers switch on the code. The message is for people: what is wrong and what to do. It holds no credential and no query. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code: SourceErrorCode;
  /** After how long the source wants to be asked again, where it says so. */
  readonly retryAfterMs: number | undefined;

  constructor(code: SourceErrorCode, message: string, options: { readonly cause?: unknown; readonly retryAfterMs?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Whether trying again soon may help without anybody changing anything. */
  get isTransient(): boolean {
    return TRANSIENT.has(this.code);
  }
}

/** What tells one content of a remote file from another. */
export type FileVersion = Pick<RemoteFile, 'sizeBytes' | 'modifiedAt' | 'etag'>;

const opaque = (etag: string): string => etag.replace(/^W\//i, '').trim();

/** Whether two tags are one, weak or not: Apache calls the tag of a file weak in the second after the file was written. */
export const isSameTag = (a: string, b: string): boolean => opaque(a) === opaque(b);

/** A strong tag in its quotes: only such a one may stand in If-Match. */
export const isStrongEtag = (etag: string | undefined): etag is string => etag !== undefined && /^"[\u0021\u0023-\u007e]+"$/.test(etag);

/** HTTP dates are whole seconds; listings may be finer. */
const inSeconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

/** Whether two answers speak of one content; undefined when they have nothing in common that would tell. */
export const isSameVersion = (a: FileVersion, b: FileVersion): boolean | undefined => {
  if (a.etag !== undefined && b.etag !== undefined && isSameTag(a.etag, b.etag)) return true;
  const sizes = a.sizeBytes === undefined || b.sizeBytes === undefined ? undefined : a.sizeBytes === b.sizeBytes;
  const dates = a.modifiedAt === undefined || b.modifiedAt === undefined ? undefined : inSeconds(a.modifiedAt) === inSeconds(b.modifiedAt);
  if (sizes === false || dates === false) return false;
  // Some servers give a file another tag in listings than in downloads: size and date decide then.
  if (dates === true) return true;
  return a.etag !== undefined && b.etag !== undefined ? false : undefined;
};

/** Whether one tag stands for two lengths. */
export const isContradiction = (listed: FileVersion, answered: FileVersion): boolean =>
  listed.etag !== undefined &&
  listed.etag === answered.etag &&
  listed.sizeBytes !== undefined &&
  answered.sizeBytes !== undefined &&
  listed.sizeBytes !== answered.sizeBytes;

/** What to throw then. The body that came with it is not wanted any more. */
export const contradiction = (host: string, body: Readable): SourceError => {
  body.destroy();
  return new SourceError('protocol', `${host} returned a different file size than in its listing for the same ETag.`);
};

const BATCH_SIZE = 500;

/** One thing that a listing found. */
export type Found = { readonly file: RemoteFile } | { readonly refused: RefusedEntry };

/** The same in batches of one size, so that many small folders make few of them. */
export const inBatches = async function* (found: AsyncIterable<readonly Found[]>): AsyncIterable<Listing> {
  let files: RemoteFile[] = [];
  let refused: RefusedEntry[] = [];
  for await (const some of found) {
    for (const one of some) {
      if ('file' in one) files.push(one.file);
      else refused.push(one.refused);
      if (files.length + refused.length < BATCH_SIZE) continue;
      yield { files, refused };
      [files, refused] = [[], []];
    }
  }
  if (files.length + refused.length > 0) yield { files, refused };
};

/** A file as a source lists it. */
export interface RemoteFile {
  /** Below the source's root, decoded, with `/` between folders; never absolute, never with `.` or `..`. How the service knows it. */
  readonly path: string;
  readonly sizeBytes: number | undefined;
  readonly modifiedAt: Date | undefined;
  /** As the server gives it, weak ones with their `W/`. */
  readonly etag: string | undefined;
}

/** Something that a listing found and that is never imported: a link, a name out of the root, a name that is no text. */
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
