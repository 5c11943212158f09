/** A stream of the kind that tar-stream has, as far as it is written to. */
interface Sink {
  write(chunk: Uint8Array): boolean;
  end(last: undefined): unknown;
  on(event: 'drain' | 'close' | 'error', listener: (error?: unknown) => void): unknown;
}

/** Writes all of `source` to `sink` and waits until that is closed. Node's own pipeline does not see how streams of that kind end. */
export const feedStream = async (source: AsyncIterable<Uint8Array>, sink: Sink): Promise<void> => {
  let drained: () => void = () => {};
  sink.on('drain', () => drained());
  const ended = new Promise<void>((resolve, reject) => {
    sink.on('error', reject);
    sink.on('close', () => resolve());
  });
  ended.catch(() => {}); // seen below
  for await (const chunk of source) {
    const isDrained = new Promise<void>((resolve) => (drained = resolve));
    if (!sink.write(chunk)) await Promise.race([isDrained, ended]);
  }
  sink.end(undefined);
  await ended;
};
