import type { ByteSource } from '@sheaf/sandbox/containers';

const SAMPLE_BYTES = 64 * 1024;
/** Shares of characters that text does not exceed: bytes at random have 10 % control characters, machine code more. */
const MAX_CONTROLS = { unicode: 0.1, singleByte: 0.005 } as const;
/** Programs separate records by NUL; a third of one is no text any more. */
const MAX_NULS = 0.3;
const MAX_UNASSIGNED = 0.05;

type Utf16 = 'utf-16le' | 'utf-16be';

/** Whether beginning, middle and end of the file are text, in whatever encoding. */
export const looksLikeText = async (source: ByteSource): Promise<boolean> => {
  const head = await source.read(0, SAMPLE_BYTES);
  const utf16 = utf16Of(head);
  for (const offset of sampleOffsets(source.sizeBytes)) {
    const sample = offset === 0 ? head : await source.read(offset, SAMPLE_BYTES);
    const isText = utf16 === undefined ? isUtf8Text(sample, offset) || isSingleByteText(sample) : isUtf16Text(sample, utf16);
    if (!isText) return false;
  }
  return true;
};

/** Even, so that UTF-16 is not cut in the middle of a character. */
const sampleOffsets = (sizeBytes: number): number[] => {
  if (sizeBytes <= SAMPLE_BYTES) return [0];
  const last = sizeBytes - SAMPLE_BYTES;
  return [0, Math.floor(last / 4) * 2, last - (last % 2)];
};

/** By byte order mark, else by the upper halves: one small number in every second place. */
const utf16Of = (head: Buffer): Utf16 | undefined => {
  const mark = head.subarray(0, 2).toString('hex');
  if (mark === 'fffe') return 'utf-16le';
  if (mark === 'feff') return 'utf-16be';
  const smallAt = (parity: number): number => {
    let small = 0;
    for (let i = parity; i < head.length; i += 2) if ((head[i] ?? 0xff) < 0x09) small += 1;
    return small / Math.max(1, head.length / 2);
  };
  const [even, odd] = [smallAt(0), smallAt(1)];
  // Scripts with many thousand characters have a zero only at spaces and line ends, but are nothing else either.
  const enough = isUtf8Text(head, 0) ? 0.4 : 0.02;
  if (odd > enough && odd > even * 8) return 'utf-16le';
  return even > enough && even > odd * 8 ? 'utf-16be' : undefined;
};

/** Text may hold tab, line ends, form feed, escape (terminal logs, ISO 2022) and backspace (overstruck manuals). */
const isControl = (code: number): boolean => code < 0x20 && !(code >= 0x08 && code <= 0x0d) && code !== 0x1b;

const isUtf8Text = (sample: Buffer, offset: number): boolean => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(offset === 0 ? sample : skipCutCharacter(sample), { stream: true });
  } catch {
    return false;
  }
  let [nuls, controls] = [0, 0];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 0) nuls += 1;
    else if (isControl(code)) controls += 1;
  }
  return nuls <= text.length * MAX_NULS && controls <= text.length * MAX_CONTROLS.unicode;
};

/** A sample from the middle may begin with up to three continuation bytes. */
const skipCutCharacter = (sample: Buffer): Buffer => {
  let start = 0;
  while (start < 3 && ((sample[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return sample.subarray(start);
};

const isSingleByteText = (sample: Buffer): boolean => {
  let controls = 0;
  for (const byte of sample) if (isControl(byte)) controls += 1;
  return controls <= sample.length * MAX_CONTROLS.singleByte;
};

const isUtf16Text = (sample: Buffer, encoding: Utf16): boolean => {
  const text = new TextDecoder(encoding).decode(sample, { stream: true });
  let controls = 0;
  for (let i = 0; i < text.length; i += 1) if (isControl(text.charCodeAt(i))) controls += 1;
  // Lone halves of pairs, private characters and numbers that are no character at all: a fifth of what is random.
  const strange = text.match(/[\p{Cn}\p{Co}\p{Cs}\uFFFD]/gu)?.length ?? 0;
  return controls <= text.length * MAX_CONTROLS.unicode && strange <= text.length * MAX_UNASSIGNED;
};
