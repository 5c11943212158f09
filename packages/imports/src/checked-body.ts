import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

/** A file on its way, and whether it was what the export says once it is read. */
export interface CheckedBody {
  readonly body: Readable;
  /** Undefined where the export has no checksum that is known. */
  readonly isRight: () => boolean | undefined;
}

const ALGORITHMS: Readonly<Record<number, string>> = { 32: 'md5', 64: 'sha256' };

/** Computes the checksum of `stream` while it is read. */
export const checkBody = (stream: Readable, checksum: string): CheckedBody => {
  const expected = checksum.toLowerCase();
  const algorithm = /^[0-9a-f]+$/.test(expected) ? ALGORITHMS[expected.length] : undefined;
  if (algorithm === undefined) return { body: stream, isRight: () => undefined };
  const hash = createHash(algorithm);
  const hashed = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of stream) {
      const bytes = chunk as Buffer;
      hash.update(bytes);
      yield bytes;
    }
  };
  return { body: Readable.from(hashed(), { objectMode: false }), isRight: () => hash.digest('hex') === expected };
};
