import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { countKinds, type ReferenceCounts } from './reference-kinds.ts';
import { type ByteCut, RtfInspection } from './rtf-inspection.ts';
import { RtfReader } from './rtf-reader.ts';

/** Copies an RTF file without its references to the outside: it is read once to find them and once to copy the rest. */
export const stripRtf = async (input: string, output: string, signal: AbortSignal): Promise<ReferenceCounts> => {
  const inspection = new RtfInspection();
  const reader = new RtfReader(inspection);
  let bytes = 0;
  for await (const chunk of createReadStream(input) as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    reader.write(chunk);
    bytes += chunk.length;
  }
  const cuts = inspection.close(bytes);
  await pipeline(
    createReadStream(input),
    (chunks: AsyncIterable<Buffer>) => without(chunks, cuts),
    createWriteStream(output, { flags: 'wx' }),
  );
  return countKinds(cuts.map(({ kind }) => kind));
};

async function* without(chunks: AsyncIterable<Buffer>, cuts: readonly ByteCut[]): AsyncGenerator<Buffer> {
  let [position, next] = [0, 0];
  for await (const chunk of chunks) {
    const end = position + chunk.length;
    let at = position;
    for (let cut = cuts[next]; cut !== undefined && cut.start < end; cut = cuts[next]) {
      if (cut.start > at) yield chunk.subarray(at - position, cut.start - position);
      at = Math.max(at, Math.min(cut.end, end));
      if (cut.end > end) break; // goes on in the next chunk
      next += 1;
    }
    if (at < end) yield chunk.subarray(at - position);
    position = end;
  }
}
