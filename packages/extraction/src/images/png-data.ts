/** The parts of a PNG that a PDF can take over as they are. */
export interface PngData {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  readonly colors: 1 | 3;
  /** Red, green and blue of each colour, where the pixels are numbers of colours. */
  readonly palette: Buffer | undefined;
  /** The compressed pixels, of all chunks together. */
  readonly pieces: readonly Buffer[];
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const GREY = 0;
const RGB = 2;
const PALETTE = 3;
/** Length, type and check sum. */
const CHUNK_OVERHEAD = 12;
const HEADER_BYTES = 13;

/** Undefined where a PDF cannot have it as it is: interlaced, or with transparency; and for what is no whole PNG. */
export const readPngData = (bytes: Buffer): PngData | undefined => {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined;
  let header: Buffer | undefined;
  let palette: Buffer | undefined;
  const pieces: Buffer[] = [];
  for (let at = SIGNATURE.length; at + CHUNK_OVERHEAD <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (at + CHUNK_OVERHEAD + length > bytes.length) return undefined;
    const data = bytes.subarray(at + 8, at + 8 + length);
    if (type === 'tRNS') return undefined;
    if (type === 'IHDR' && length === HEADER_BYTES) header = data;
    if (type === 'PLTE') palette = data;
    if (type === 'IDAT') pieces.push(data);
    if (type === 'IEND') return header && pieces.length > 0 ? dataOf(header, palette, pieces) : undefined;
    at += CHUNK_OVERHEAD + length;
  }
  return undefined;
};

const dataOf = (header: Buffer, palette: Buffer | undefined, pieces: readonly Buffer[]): PngData | undefined => {
  const [bitDepth = 0, colorType = -1, , , interlace] = header.subarray(8);
  if (interlace !== 0 || ![GREY, RGB, PALETTE].includes(colorType)) return undefined;
  if (colorType === PALETTE && (palette === undefined || palette.length === 0 || palette.length % 3 !== 0)) return undefined;
  return {
    width: header.readUInt32BE(0),
    height: header.readUInt32BE(4),
    bitDepth,
    colors: colorType === RGB ? 3 : 1,
    palette: colorType === PALETTE ? palette : undefined,
    pieces,
  };
};
