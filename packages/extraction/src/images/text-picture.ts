import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { type GreyImage, shrunk } from './grey-image.ts';
import type { Frame, ThumbnailFormat } from './image-messages.ts';

const WIDTH = 620;
const HEIGHT = 877;
const MARGIN = 48;
const LINE_HEIGHT = 17;
const COLUMNS = 88;
/** As the pictures of other documents have it. */
const QUALITY = 80;

export interface TextPictureTask {
  readonly text: string;
  readonly frames: readonly Frame[];
  readonly format: ThumbnailFormat;
}

/**
 * The beginning of a text as it would look on paper, fitted into each of these frames. It is drawn in a thread of this process: what is looked
 * at are a few thousand characters, and no file of a stranger is decoded. The largest is drawn, in its own size, and the others are made of it.
 */
export default async ({ text, frames, format }: TextPictureTask): Promise<Uint8Array[]> => {
  const factors = frames.map(({ width, height }) => Math.min(1, width / WIDTH, height / HEIGHT));
  const page = drawPage(text, Math.max(...factors));
  if (format !== 'webp') return Promise.all(factors.map((factor) => encode(fit(page, sizeFor(factor)), format)));
  const grey = greyOf(page);
  return factors.map((factor) => encodeTextWebp(shrunk(grey, sizeFor(factor))));
};

const sizeFor = (factor: number): Frame => ({
  width: Math.max(1, Math.round(WIDTH * factor)),
  height: Math.max(1, Math.round(HEIGHT * factor)),
});

/** Made once: the memory of a new one takes longer to be had from the system than a page to draw. */
let paper: Canvas | undefined;

const paperOf = ({ width, height }: Frame): Canvas => {
  if (paper?.width !== width || paper.height !== height) paper = createCanvas(width, height);
  return paper;
};

const drawPage = (text: string, factor: number): Canvas => {
  const canvas = paperOf(sizeFor(factor));
  const context = canvas.getContext('2d');
  context.resetTransform();
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(factor, factor);
  context.fillStyle = '#000000';
  context.font = `12px 'DejaVu Sans', 'Liberation Sans', sans-serif`;
  const rows = Math.floor((HEIGHT - 2 * MARGIN) / LINE_HEIGHT);
  for (const [row, line] of wrap(text, rows).entries())
    if (line !== '') context.fillText(line, MARGIN, MARGIN + (row + 1) * LINE_HEIGHT, WIDTH - 2 * MARGIN);
  return canvas;
};

const fit = (page: Canvas, { width, height }: Frame): Canvas => {
  if (page.width === width && page.height === height) return page;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(page, 0, 0, width, height);
  return canvas;
};

const encode = (canvas: Canvas, format: ThumbnailFormat): Promise<Buffer> =>
  format === 'png' ? canvas.encode('png') : canvas.encode(format, QUALITY);

/** The page is black on white: one of its channels says all. */
const greyOf = (page: Canvas): GreyImage => {
  const { width, height } = page;
  const rgba = page.data();
  const pixels = new Uint8Array(width * height);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = rgba[4 * at] ?? 0;
  return { width, height, pixels };
};

const wrap = (text: string, rows: number): readonly string[] => {
  const lines: string[] = [];
  for (const line of text.slice(0, rows * COLUMNS).split(/\r\n|\r|\n/)) {
    let rest = line.replaceAll('\t', '    ');
    while (rest.length > COLUMNS && lines.length < rows) {
      const space = rest.lastIndexOf(' ', COLUMNS);
      const end = space > COLUMNS / 2 ? space : COLUMNS;
      lines.push(rest.slice(0, end));
      rest = rest.slice(end).trimStart();
    }
    lines.push(rest);
  }
  return lines.slice(0, rows);
};

/** So many shades are enough for the edges of letters, and two pixels take a byte. */
const SHADES = 16;
const SHADE_STEP = 255 / (SHADES - 1);
const NEAREST_SHADE = Uint8Array.from({ length: 256 }, (_, grey) => Math.round(grey / SHADE_STEP));

const SIGNATURE = 0x2f;
const SIZE_BITS = 14;
/** Of the format, for a picture and its table of shades. */
const COLOUR_TABLE = 3;
const BYTE_SYMBOLS = 256;
/** Bytes, and 24 classes of lengths of what is repeated. */
const GREEN_SYMBOLS = BYTE_SYMBOLS + 24;
const MIN_REPEAT = 3;
const MAX_REPEAT = 4_096;

/** Where what is repeated begins, as a symbol of the format. */
const FROM_ABOVE = 0;
const FROM_LEFT = 1;

/**
 * A grey picture with large even areas, such as a page of text, as a WebP of 16 shades without any other loss (VP8L, RFC 9649). Half the
 * size that libwebp makes of it with loss at quality 80, without smudges around letters, in a tenth of its time.
 */
export const encodeTextWebp = ({ width, height, pixels }: GreyImage): Buffer => {
  const bits = new BitWriter();
  bits.write(SIGNATURE, 8);
  bits.write(width - 1, SIZE_BITS);
  bits.write(height - 1, SIZE_BITS);
  bits.write(0, 1); // nothing is transparent
  bits.write(0, 3); // the only version
  writeShades(bits);
  bits.write(0, 1); // nothing else is done with the picture
  bits.write(0, 1); // no cache of colours
  bits.write(0, 1); // the same codes everywhere
  writePixels(bits, packed({ width, height, pixels }), Math.ceil(width / 2));
  return inContainer(bits.end());
};

/** The table of shades, each as its difference to the one before. */
const writeShades = (bits: BitWriter): void => {
  bits.write(1, 1);
  bits.write(COLOUR_TABLE, 2);
  bits.write(SHADES - 1, 8);
  bits.write(0, 1); // no cache of colours
  for (let channel = 0; channel < 3; channel += 1) writeTwoSymbols(bits, 0, SHADE_STEP);
  writeTwoSymbols(bits, 0, 255);
  writeOneSymbol(bits, 0);
  for (let shade = 0; shade < SHADES; shade += 1) {
    bits.write(shade === 0 ? 0 : 0b111, 3);
    bits.write(shade === 0 ? 1 : 0, 1);
  }
};

/** Two pixels a byte, the left one in its lower half. */
const packed = ({ width, height, pixels }: GreyImage): Uint8Array => {
  const rowBytes = Math.ceil(width / 2);
  const bytes = new Uint8Array(rowBytes * height);
  const shadeAt = (at: number): number => NEAREST_SHADE[pixels[at] ?? 0] ?? 0;
  for (let y = 0, to = 0, from = 0; y < height; y += 1) {
    for (const end = from + width - 1; from < end; from += 2, to += 1) bytes[to] = shadeAt(from) | (shadeAt(from + 1) << 4);
    if (width % 2 === 0) continue;
    bytes[to] = shadeAt(from);
    from += 1;
    to += 1;
  }
  return bytes;
};

const writePixels = (bits: BitWriter, bytes: Uint8Array, rowBytes: number): void => {
  const tokens = tokensOf(bytes, rowBytes);
  const counts = new Uint32Array(GREEN_SYMBOLS);
  for (const token of tokens) {
    const symbol = symbolOf(token);
    counts[symbol] = (counts[symbol] ?? 0) + 1;
  }
  const green = makePrefixCode(counts);
  writeCode(bits, green);
  for (const symbol of [0, 0, 255]) writeOneSymbol(bits, symbol); // red, blue, and nothing transparent
  writeTwoSymbols(bits, FROM_ABOVE, FROM_LEFT);
  for (const token of tokens) {
    const symbol = symbolOf(token);
    bits.write(green.codes[symbol] ?? 0, green.lengths[symbol] ?? 0);
    if (!isRepeat(token)) continue;
    const extraBits = extraBitsOf(lengthOf(token));
    bits.write((lengthOf(token) - 1) & ((1 << extraBits) - 1), extraBits);
    bits.write(token & 1, 1);
  }
};

/** A byte, or what is repeated: its length above the bytes, and where it begins in the lowest bit. */
type Token = number;

const repeat = (length: number, from: number): Token => ((length << 1) | from) + BYTE_SYMBOLS;
const isRepeat = (token: Token): boolean => token >= BYTE_SYMBOLS;
const lengthOf = (token: Token): number => (token - BYTE_SYMBOLS) >> 1;

const tokensOf = (bytes: Uint8Array, rowBytes: number): Token[] => {
  const tokens: Token[] = [];
  for (let at = 0; at < bytes.length; ) {
    const above = repeatAt(bytes, at, rowBytes);
    const left = repeatAt(bytes, at, 1);
    const length = Math.max(above, left);
    tokens.push(length < MIN_REPEAT ? (bytes[at] ?? 0) : repeat(length, above >= left ? FROM_ABOVE : FROM_LEFT));
    at += length < MIN_REPEAT ? 1 : length;
  }
  return tokens;
};

/** For how long the bytes at `at` are those that come `distance` before them. */
const repeatAt = (bytes: Uint8Array, at: number, distance: number): number => {
  if (at < distance) return 0;
  const end = Math.min(bytes.length, at + MAX_REPEAT);
  let to = at;
  while (to < end && bytes[to] === bytes[to - distance]) to += 1;
  return to - at;
};

/** A length is written as its class, which takes the two highest bits of it, and the others as they are. */
const symbolOf = (token: Token): number => {
  if (!isRepeat(token)) return token;
  const before = lengthOf(token) - 1;
  const extraBits = extraBitsOf(lengthOf(token));
  return BYTE_SYMBOLS + (extraBits === 0 ? before : 2 * (extraBits + 1) + ((before >> extraBits) & 1));
};

const extraBitsOf = (length: number): number => Math.max(0, 30 - Math.clz32(length - 1));

/** The lengths of a code, each in four bits: a code for them would be a few dozen bytes shorter. */
const writeCode = (bits: BitWriter, { lengths }: PrefixCode): void => {
  bits.write(0, 1);
  bits.write(LENGTH_ORDER.length - 4, 4);
  for (const length of LENGTH_ORDER) bits.write(length < 16 ? 4 : 0, 3);
  bits.write(0, 1); // of all symbols
  for (const length of lengths) bits.write(REVERSED_NIBBLES[length] ?? 0, 4);
};

/** The order that the format has for lengths of codes, the last three of which are for repeated ones. */
const LENGTH_ORDER = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const REVERSED_NIBBLES = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15];

/** A code that takes no bits. */
const writeOneSymbol = (bits: BitWriter, symbol: number): void => {
  bits.write(0b001 | (1 << 2), 3);
  bits.write(symbol, 8);
};

/** A code of one bit: 0 for the first, 1 for the second. */
const writeTwoSymbols = (bits: BitWriter, first: 0, second: number): void => {
  bits.write(0b011, 3);
  bits.write(first, 1);
  bits.write(second, 8);
};

const inContainer = (image: Uint8Array): Buffer => {
  const padding = image.length % 2;
  const header = Buffer.alloc(20);
  header.write('RIFF', 0);
  header.writeUInt32LE(12 + image.length + padding, 4);
  header.write('WEBPVP8L', 8);
  header.writeUInt32LE(image.length, 16);
  return Buffer.concat([header, image, Buffer.alloc(padding)]);
};

/** Bits, the lowest first. */
class BitWriter {
  #bytes = new Uint8Array(16 * 1024);
  #length = 0;
  #open = 0;
  #openBits = 0;

  /** The `count` lowest bits of `value`, at most 16. */
  write(value: number, count: number): void {
    this.#open |= value << this.#openBits;
    this.#openBits += count;
    while (this.#openBits >= 8) this.#flush();
  }

  end(): Uint8Array {
    if (this.#openBits > 0) this.#flush();
    return this.#bytes.subarray(0, this.#length);
  }

  #flush(): void {
    if (this.#length === this.#bytes.length) {
      const longer = new Uint8Array(2 * this.#length);
      longer.set(this.#bytes);
      this.#bytes = longer;
    }
    this.#bytes[this.#length] = this.#open & 0xff;
    this.#length += 1;
    this.#open >>>= 8;
    this.#openBits -= 8;
  }
}

/** Longer ones have no place in a WebP. */
const MAX_BITS = 15;

/** The codes of some symbols, by the number of the symbol: the more frequent, the shorter. A length of 0 is a symbol that is never written. */
interface PrefixCode {
  readonly lengths: Uint8Array;
  /** Written from the lowest bit up. */
  readonly codes: Uint16Array;
}

/** The best code for symbols that are as frequent as `counts` say; at least two of them have one. */
const makePrefixCode = (counts: Uint32Array): PrefixCode => {
  const wanted = Uint32Array.from(counts);
  // a code of one symbol has no bits, which is written in another way: a second one costs nothing
  for (let at = 0; wanted.filter((count) => count > 0).length < 2; at += 1) wanted[at] ||= 1;
  let lengths = lengthsOf(wanted);
  // with rare symbols counted as more frequent than they are, no code gets longer than is allowed
  for (let least = 2; Math.max(...lengths) > MAX_BITS; least *= 2)
    lengths = lengthsOf(wanted.map((count) => count && Math.max(count, least)));
  return { lengths, codes: codesOf(lengths) };
};

interface Node {
  readonly count: number;
  readonly symbols: readonly number[];
}

/** Huffman's way: the two rarest become one, until one is left; each symbol in it is a bit longer by that. */
const lengthsOf = (counts: Uint32Array): Uint8Array => {
  const lengths = new Uint8Array(counts.length);
  const leaves: Node[] = [...counts.entries()].flatMap(([symbol, count]) => (count > 0 ? [{ count, symbols: [symbol] }] : []));
  leaves.sort((a, b) => a.count - b.count);
  const joined: Node[] = []; // in the order of their counts, as they are made
  let [nextLeaf, nextJoined] = [0, 0];
  const takeRarest = (): Node | undefined => {
    const [leaf, join] = [leaves[nextLeaf], joined[nextJoined]];
    if (leaf !== undefined && (join === undefined || leaf.count <= join.count)) {
      nextLeaf += 1;
      return leaf;
    }
    nextJoined += 1;
    return join;
  };
  for (let left = leaves.length; left > 1; left -= 1) {
    const [one, other] = [takeRarest(), takeRarest()];
    if (one === undefined || other === undefined) break;
    const symbols = [...one.symbols, ...other.symbols];
    for (const symbol of symbols) lengths[symbol] = (lengths[symbol] ?? 0) + 1;
    joined.push({ count: one.count + other.count, symbols });
  }
  return lengths;
};

/** Codes of one length follow each other, behind those that are shorter. */
const codesOf = (lengths: Uint8Array): Uint16Array => {
  const codes = new Uint16Array(lengths.length);
  let next = 0;
  for (let length = 1; length <= MAX_BITS; length += 1) {
    for (const [symbol, own] of lengths.entries()) {
      if (own !== length) continue;
      codes[symbol] = reversed(next, length);
      next += 1;
    }
    next <<= 1;
  }
  return codes;
};

const reversed = (code: number, length: number): number => {
  let result = 0;
  for (let bit = 0; bit < length; bit += 1) result |= ((code >> bit) & 1) << (length - 1 - bit);
  return result;
};
