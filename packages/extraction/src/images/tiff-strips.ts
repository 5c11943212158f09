/** The pixels of a page of a TIFF that a PDF can take over as they are: compressed as PDFs have them, in strips one below the other. */
export interface TiffStrips {
  readonly compression: 'fax' | 'jpeg';
  readonly width: number;
  readonly height: number;
  readonly rowsPerStrip: number;
  readonly colors: 1 | 3;
  /** Of a fax: zeros are black. Of a JPEG: its colours are red, green and blue as they are. */
  readonly isPlain: boolean;
  readonly strips: readonly Buffer[];
}

const TAG = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  stripOffsets: 273,
  samples: 277,
  rowsPerStrip: 278,
  stripBytes: 279,
  planar: 284,
  faxOptions: 293,
  jpegTables: 347,
} as const;
const GROUP_4 = 4;
const JPEG = 7;
const WHITE_IS_ZERO = 0;
const BLACK_IS_ZERO = 1;
const RGB = 2;
const YCBCR = 6;
const LSB_FIRST = 2;
const ENTRY_BYTES = 12;
/** Bytes of a value, by its type: byte, text, short, long; others are of no use here. */
const VALUE_BYTES: Readonly<Record<number, 1 | 2 | 4>> = { 1: 1, 3: 2, 4: 4, 7: 1 };
const MAX_PAGES = 100_000;
const MAX_STRIPS = 20_000;
const MARKER_BYTES = 2;

type Directory = ReadonlyMap<number, readonly number[]>;

/** Where the directory of each page begins; empty for what is no classic TIFF. */
export const tiffDirectories = (bytes: Buffer): readonly number[] => {
  const reader = new TiffReader(bytes);
  const found = new Set<number>();
  let at = reader.isTiff ? reader.number(4, 4) : undefined;
  while (at !== undefined && at > 0 && !found.has(at) && found.size < MAX_PAGES) {
    const entries = reader.number(at, 2);
    if (entries === undefined) break;
    found.add(at);
    at = reader.number(at + 2 + entries * ENTRY_BYTES, 4);
  }
  return [...found];
};

/** Undefined where a PDF cannot have the page of this directory as it is. */
export const readTiffStrips = (bytes: Buffer, directoryAt: number): TiffStrips | undefined => {
  const directory = new TiffReader(bytes).directory(directoryAt);
  const one = (tag: number, otherwise?: number): number | undefined => directory.get(tag)?.[0] ?? otherwise;
  const [width = 0, height = 0] = [one(TAG.width), one(TAG.height)];
  const rowsPerStrip = Math.min(height, one(TAG.rowsPerStrip, height) ?? height);
  if (!(width > 0 && height > 0 && rowsPerStrip > 0) || one(TAG.planar, 1) !== 1) return undefined;
  const strips = stripsOf(bytes, directory, Math.ceil(height / rowsPerStrip));
  if (strips === undefined) return undefined;
  const [bits, samples, photometric] = [one(TAG.bits, 1), one(TAG.samples, 1), one(TAG.photometric)];
  const size = { width, height, rowsPerStrip };
  if (one(TAG.compression) === GROUP_4 && bits === 1 && samples === 1 && (photometric === WHITE_IS_ZERO || photometric === BLACK_IS_ZERO)) {
    const isReversed = one(TAG.fillOrder, 1) === LSB_FIRST;
    const isPlain = photometric === BLACK_IS_ZERO;
    return { ...size, compression: 'fax', colors: 1, isPlain, strips: isReversed ? strips.map(withReversedBits) : strips };
  }
  if (one(TAG.compression) !== JPEG || bits !== 8) return undefined;
  const isGrey = samples === 1 && photometric === BLACK_IS_ZERO;
  if (!isGrey && !(samples === 3 && (photometric === RGB || photometric === YCBCR))) return undefined;
  const tables = Buffer.from(directory.get(TAG.jpegTables) ?? []);
  return {
    ...size,
    compression: 'jpeg',
    colors: isGrey ? 1 : 3,
    isPlain: photometric === RGB,
    strips: strips.map((strip) => withTables(strip, tables)),
  };
};

const stripsOf = (bytes: Buffer, directory: Directory, count: number): readonly Buffer[] | undefined => {
  const [offsets = [], lengths = []] = [directory.get(TAG.stripOffsets), directory.get(TAG.stripBytes)];
  if (offsets.length !== count || lengths.length !== count || count > MAX_STRIPS) return undefined;
  const strips = offsets.map((offset, at) => bytes.subarray(offset, offset + (lengths[at] ?? 0)));
  return strips.every((strip, at) => strip.length > 0 && strip.length === lengths[at]) ? strips : undefined;
};

const withReversedBits = (strip: Buffer): Buffer => {
  const reversed = Buffer.from(strip);
  for (const [at, byte] of reversed.entries()) {
    const pairs = ((byte & 0x55) << 1) | ((byte >> 1) & 0x55);
    const quads = ((pairs & 0x33) << 2) | ((pairs >> 2) & 0x33);
    reversed[at] = ((quads & 0x0f) << 4) | (quads >> 4);
  }
  return reversed;
};

/** A JPEG of its own: behind its first marker the tables, without the markers around them. */
const withTables = (strip: Buffer, tables: Buffer): Buffer =>
  tables.length <= 2 * MARKER_BYTES ? strip : Buffer.concat([tables.subarray(0, -MARKER_BYTES), strip.subarray(MARKER_BYTES)]);

/** Reads within the bytes alone: whatever lies outside is undefined. */
class TiffReader {
  readonly #bytes: Buffer;
  readonly #isLittle: boolean;
  readonly isTiff: boolean;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    const mark = bytes.toString('latin1', 0, 4);
    this.#isLittle = mark === 'II*\0';
    this.isTiff = this.#isLittle || mark === 'MM\0*';
  }

  number(at: number, size: 1 | 2 | 4): number | undefined {
    if (at + size > this.#bytes.length) return undefined;
    return this.#isLittle ? this.#bytes.readUIntLE(at, size) : this.#bytes.readUIntBE(at, size);
  }

  directory(at: number): Directory {
    const values = new Map<number, readonly number[]>();
    const entries = this.number(at, 2) ?? 0;
    for (let entry = at + 2; entry < at + 2 + entries * ENTRY_BYTES; entry += ENTRY_BYTES) {
      const [tag, type, count] = [this.number(entry, 2), this.number(entry + 2, 2), this.number(entry + 4, 4)];
      const size = VALUE_BYTES[type ?? 0];
      if (tag === undefined || count === undefined || size === undefined || count * size > this.#bytes.length) continue;
      const start = count * size <= 4 ? entry + 8 : this.number(entry + 8, 4);
      if (start === undefined || !WANTED.has(tag)) continue;
      values.set(
        tag,
        Array.from({ length: count }, (_, index) => this.number(start + index * size, size) ?? 0),
      );
    }
    return values;
  }
}

const WANTED: ReadonlySet<number> = new Set(Object.values(TAG));
