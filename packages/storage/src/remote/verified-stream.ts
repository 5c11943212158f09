import { createHash, type Hash } from 'node:crypto';
import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { reasonedError } from '@sheaf/contract';
import { fileDamaged } from '../errors.ts';

/** What a body must be. */
export interface ExpectedBody {
  readonly key: string;
  /** The storage, for people. */
  readonly place: string;
  readonly sizeBytes: number;
  /** Of the whole body, in hexadecimal; undefined where it is not known, or where only a part is read. */
  readonly sha256: string | undefined;
  /** How long the storage may say nothing while somebody wants to read. */
  readonly idleMs: number;
  /** Makes of an error of the body one that may leave the storage. */
  readonly toError: (error: unknown) => Error;
}

/**
 * The bytes of `source`, checked on their way: a body that ends early, is too long, is silent for too long or has another hash ends
 * with an error (SERVICE_UNAVAILABLE, or FILE_DAMAGED), and never comes whole. Who stops to read early ends `source` as well.
 */
export const verifiedStream = (source: Readable, expected: ExpectedBody): Readable => {
  const verifier = new Verifier(expected);
  // The verifier ends with what went wrong. It is told first, or it would say of a failed source only that it closed early.
  source.once('error', (error) => verifier.destroy(expected.toError(error)));
  return pipeline(source, verifier, () => {});
};

class Verifier extends Transform {
  readonly #expected: ExpectedBody;
  readonly #hash: Hash | undefined;
  #seenBytes = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(expected: ExpectedBody) {
    super();
    this.#expected = expected;
    this.#hash = expected.sha256 === undefined ? undefined : createHash('sha256');
  }

  /** Somebody wants more: only then is it the storage that makes them wait. */
  override _read(size: number): void {
    this.#idle ??= setTimeout(() => this.destroy(this.#silent()), this.#expected.idleMs);
    super._read(size);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#stopWaiting();
    if (chunk.length === 0) return done();
    this.#seenBytes += chunk.length;
    this.#hash?.update(chunk);
    // The chunk that completes a wrong body is kept back: nobody takes for whole what has all its bytes.
    const wrong = this.#seenBytes >= this.#expected.sizeBytes ? this.#wrong() : undefined;
    if (wrong === undefined) done(null, chunk);
    else done(wrong);
  }

  override _flush(done: TransformCallback): void {
    this.#stopWaiting();
    // The hash of the other bodies was looked at before their last chunk went out.
    const wrong = this.#seenBytes < this.#expected.sizeBytes || this.#expected.sizeBytes === 0 ? this.#wrong() : undefined;
    done(wrong);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stopWaiting();
    super._destroy(error, done);
  }

  #stopWaiting(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
  }

  #wrong(): Error | undefined {
    const { key, place, sizeBytes, sha256 } = this.#expected;
    if (this.#seenBytes !== sizeBytes)
      return reasonedError('SERVICE_UNAVAILABLE', 'storage_transfer_incomplete', {
        storage: place,
        received_bytes: this.#seenBytes,
        expected_bytes: sizeBytes,
      });
    return this.#hash === undefined || this.#hash.digest('hex') === sha256 ? undefined : fileDamaged(key);
  }

  #silent(): Error {
    const { place, idleMs } = this.#expected;
    return reasonedError('SERVICE_UNAVAILABLE', 'storage_transfer_stalled', { storage: place, limit_seconds: idleMs / 1_000 });
  }
}
