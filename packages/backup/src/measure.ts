import { createHash } from 'node:crypto';

/** The lines of a text of plain ASCII, without their ends. */
export const linesOf = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begun = '';
  for await (const chunk of source) {
    const lines = (begun + chunk.toString('latin1')).split('\n');
    begun = lines.pop() ?? '';
    yield* lines;
  }
  if (begun !== '') yield begun;
};

/** How many bytes, and which. */
export interface Measure {
  readonly bytes: number;
  readonly sha256: string;
}

/** Counts and hashes bytes that come piece by piece. */
export class RunningMeasure {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#hash.update(chunk);
  }

  /** Ends it. */
  finish(): Measure {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

/** Passes the bytes on; throws what `toError` makes of the reason where they are not those that were expected. */
export const verified = async function* (
  source: AsyncIterable<Uint8Array>,
  expected: Measure,
  toError: (reason: string) => Error,
): AsyncGenerator<Uint8Array> {
  const running = new RunningMeasure();
  for await (const chunk of source) {
    running.add(chunk);
    // At once: what is unpacked from a few bytes could go on for terabytes.
    if (running.bytes > expected.bytes) throw toError(`it has more than ${expected.bytes} bytes`);
    yield chunk;
  }
  const found = running.finish();
  if (found.bytes !== expected.bytes) throw toError(`it has ${found.bytes} bytes, not ${expected.bytes}`);
  if (found.sha256 !== expected.sha256) throw toError('its hash is different');
};
