/** What file systems bear. */
const MAX_NAME_BYTES = 255;
/** A longer one is no extension but a name with a dot in it. */
const MAX_EXTENSION_BYTES = 32;

const DOT = 0x2e;

/**
 * The name with a number before its extension: `scan-1.pdf`; 0 adds none. What would be too long loses the end of its stem,
 * between two characters.
 */
export const numberedName = (name: Buffer, number: number): Buffer => {
  const dot = name.lastIndexOf(DOT);
  const end = dot > 0 && name.length - dot <= MAX_EXTENSION_BYTES ? dot : name.length;
  const tail = Buffer.concat([Buffer.from(number === 0 ? '' : `-${number}`), name.subarray(end)]);
  return Buffer.concat([cut(name.subarray(0, end), MAX_NAME_BYTES - tail.length), tail]);
};

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

const cut = (stem: Buffer, maxBytes: number): Buffer => {
  if (stem.length <= maxBytes) return stem;
  let end = maxBytes;
  while (end > 1 && isContinuation(stem[end])) end -= 1;
  return stem.subarray(0, end);
};
