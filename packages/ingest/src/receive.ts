import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type AppError, codedError } from '@sheaf/contract';
import type { Destination } from './destination.ts';

export interface ReceivedFile {
  /** The bytes where they are few, else the path of a temporary file. */
  readonly content: Buffer | string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** The sender broke off, or the file could not be read to its end. */
const incompleteFile = (cause: unknown): AppError => codedError('VALIDATION_ERROR', 'INCOMPLETE_FILE', {}, cause);

export interface ReceiveOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Gathers `body` in `destination` and hashes it on the way. Undefined when there is more than `maxBytes`: the rest is then left
 * unread, for the caller to drain or to destroy. Throws INCOMPLETE_FILE when the body breaks.
 */
export const receive = async (
  body: Readable,
  destination: Destination,
  { maxBytes, signal }: ReceiveOptions,
): Promise<ReceivedFile | undefined> => {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of chunksOf(body)) {
    signal?.throwIfAborted();
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) return undefined;
    hash.update(chunk);
    await destination.add(chunk);
  }
  signal?.throwIfAborted();
  return { content: await destination.finish(), sizeBytes, sha256: hash.digest('hex') };
};

/** The chunks of `body`, which stays open when the reader stops early: a multipart parser would hang on a destroyed part. */
const chunksOf = async function* (body: Readable): AsyncIterable<Buffer> {
  // A body that broke before we looked at it emits nothing any more.
  if (body.errored !== null || (body.destroyed && !body.readableEnded)) throw incompleteFile(body.errored);
  const chunks = body.iterator({ destroyOnReturn: false });
  for (;;) {
    const next = await chunks.next().catch((error: unknown) => {
      throw incompleteFile(error);
    });
    if (next.done === true) return;
    yield Buffer.isBuffer(next.value) ? next.value : Buffer.from(next.value);
  }
};
