import { createInterface } from 'node:readline';
import type { ImageReply, ImageRequest } from './image-messages.ts';
import { answerImageRequest } from './image-work.ts';

// A process of its own: decoders of strangers' pictures are native code, and must be able to crash alone.
// It ends with its standard input, so it cannot outlive its parent.
/** Where the sandbox has no `/proc`, the most that it ever was. */
const residentBytes = (): number => {
  try {
    return process.memoryUsage.rss();
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
};

const maxInputPixels = Number(process.argv[2]);
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await answerImageRequest(JSON.parse(line) as ImageRequest, maxInputPixels);
  const reply: ImageReply = { answer, residentBytes: residentBytes() };
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
