import { Writable } from 'node:stream';

/** Where a logger writes to, so that a test can look at its lines. */
export const keepLines = (): { output: Writable; text: () => string; entries: () => Record<string, unknown>[] } => {
  const chunks: string[] = [];
  const output = new Writable({
    write: (chunk: Buffer | string, _encoding, done) => {
      chunks.push(chunk.toString());
      done();
    },
  });
  const text = (): string => chunks.join('');
  return {
    output,
    text,
    entries: () =>
      text()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
};
