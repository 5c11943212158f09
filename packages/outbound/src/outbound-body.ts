import { Readable, Transform } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { OutboundError } from './outbound-error.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  readonly host: string;
  /** What an error of the connection means to the caller. */
  readonly translate: (error: unknown) => Error;
  /** Called once, when the body has ended in whatever way. */
  readonly release: () => void;
}

export const tooLarge = (host: string, maxBytes: number): OutboundError =>
  new OutboundError('too_large', `The response of ${host} exceeds ${maxBytes} bytes`);

/** The body as a stream that ends with an error at the limit. Destroying it ends the connection. */
export const limitBody = (body: ReadableStream<Uint8Array> | null, { maxBytes, host, translate, release }: BodyLimits): Readable => {
  const source = body === null ? Readable.from([]) : Readable.fromWeb(body);
  let bytes = 0;
  const limited = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) done(tooLarge(host, maxBytes));
      else done(null, chunk);
    },
    destroy(error, done) {
      source.destroy();
      release();
      done(error);
    },
  });
  source.on('error', (error) => limited.destroy(translate(error)));
  // Who looks at the status alone leaves the body unread: its error must not end the process. Readers still get it.
  limited.on('error', () => {});
  return source.pipe(limited);
};
