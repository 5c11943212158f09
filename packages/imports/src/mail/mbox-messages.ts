import type { Readable } from 'node:stream';

/** A message of a mailbox: its bytes, or how large one was that is left out. */
export type RawMessage = { readonly bytes: Buffer } | { readonly tooLargeBytes: number };

const LINE_FEED = 10;
const FROM = Buffer.from('From ');
const QUOTED_FROM = /^>+From /;

/** The lines of a stream with their ends; one that is longer than `maxBytes` comes in pieces. */
async function* linesOf(body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    let rest = chunk as Buffer;
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
      yield Buffer.concat([...parts, rest.subarray(0, end + 1)]);
      parts = [];
      size = 0;
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) parts.push(rest);
    size += rest.length;
    if (size <= maxBytes) continue;
    yield Buffer.concat(parts);
    parts = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(parts);
}

const isBlank = (line: Buffer): boolean => line.length === 1 || (line.length === 2 && line[0] === 13);

/** `>From ` in a message stands for `From ` (the mboxrd form; in the older mboxo form nothing else is quoted either). */
const unquoted = (line: Buffer): Buffer =>
  line[0] === 62 && QUOTED_FROM.test(line.subarray(0, 200).toString('latin1')) ? line.subarray(1) : line;

/**
 * The messages of an mbox file (RFC 4155): each begins with a line `From ` behind an empty line. In memory is one message at a time, of
 * at most `maxBytes`; what is larger is counted, not kept.
 */
export async function* readMbox(body: Readable, maxBytes: number): AsyncGenerator<RawMessage> {
  let lines: Buffer[] = [];
  let size = 0;
  let isOpen = false;
  let wasBlank = true;
  const close = (): RawMessage => (size > maxBytes ? { tooLargeBytes: size } : { bytes: Buffer.concat(lines) });
  for await (const line of linesOf(body, maxBytes)) {
    if (wasBlank && line.subarray(0, FROM.length).equals(FROM)) {
      if (isOpen) yield close();
      lines = [];
      size = 0;
      isOpen = true;
      wasBlank = false;
      continue;
    }
    wasBlank = isBlank(line);
    if (!isOpen) continue;
    size += line.length;
    if (size > maxBytes) lines = [];
    else lines.push(unquoted(line));
  }
  if (isOpen) yield close();
}
