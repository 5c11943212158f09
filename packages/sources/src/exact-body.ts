import { type Readable, Transform } from 'node:stream';
import { toSourceError } from './outbound-failure.ts';
import { SourceError } from './source-error.ts';

export interface ExactBody {
  /** What was announced; undefined when nothing was. */
  readonly sizeBytes: number | undefined;
  readonly host: string;
}

const wrongLength = (host: string, announced: number, found: string): SourceError =>
  new SourceError('protocol', `${host} announced ${announced} bytes but sent ${found}.`);

/** The body, failing with a SourceError when it breaks off or is not as long as announced. Destroying it ends the request. */
export const exactBody = (body: Readable, { sizeBytes, host }: ExactBody): Readable => {
  let bytes = 0;
  const exact = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.byteLength;
      if (sizeBytes !== undefined && bytes > sizeBytes) done(wrongLength(host, sizeBytes, 'more'));
      else done(null, chunk);
    },
    flush(done) {
      done(sizeBytes === undefined || bytes === sizeBytes ? null : wrongLength(host, sizeBytes, `${bytes}`));
    },
    destroy(error, done) {
      body.destroy();
      done(error);
    },
  });
  body.on('error', (error) => exact.destroy(toSourceError(error) as Error));
  // Who gives up before reading leaves the error to nobody: it must not end the process. Readers still get it.
  exact.on('error', () => {});
  return body.pipe(exact);
};
