import { open, readFile } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { PdfWriter } from '../pdf/pdf-writer.ts';
import { readTiffStrips, type TiffStrips, tiffDirectories } from './tiff-strips.ts';

/** A picture file, and how its pages are decoded. */
export interface PictureFile {
  readonly path: string;
  readonly mimeType: string;
  /** `page` counts from 0. */
  decode(page: number): Promise<Sharp>;
}

/** A picture, or a strip of one, as an object of the PDF. */
interface Drawn {
  readonly object: number;
  /** Where it stands on the page, in fractions of its height from the bottom. */
  readonly bottom: number;
  readonly height: number;
}

const ROOT = 1;
const PAGE_TREE = 2;
const FIRST_FREE = 3;
const POINTS_PER_INCH = 72;
const MAX_SIDE_POINTS = 14_400;
const FIRST_SIDEWAYS = 5;
/** What an Adobe program puts into its JPEGs: it writes the four printing colours inverted. */
const ADOBE_MARK = 'Adobe\0';
const MARK_WITHIN_BYTES = 65_536;
const FOUR_COLORS = 4;

/**
 * Writes a PDF to `outPath` with a page for each of the picture's: a JPEG, a PNG or a fax with its bytes as they are where PDFs can have
 * them, everything else compressed again without loss. Returns the number of pages.
 */
export const writeImagePdf = async (picture: PictureFile, outPath: string): Promise<number> => {
  await using file = await open(outPath, 'wx', 0o600);
  const pdf = new PdfWriter(file, FIRST_FREE);
  const { pages = 1 } = await (await picture.decode(0)).metadata();
  const kept = new KeptPixels(picture);
  const kids: number[] = [];
  for (let page = 0; page < pages; page += 1) kids.push(await addPage(pdf, picture, kept, page));
  await pdf.write(PAGE_TREE, `<</Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] /Count ${kids.length}>>`);
  await pdf.write(ROOT, `<</Type /Catalog /Pages ${PAGE_TREE} 0 R>>`);
  await pdf.end(ROOT);
  return kids.length;
};

const addPage = async (pdf: PdfWriter, picture: PictureFile, kept: KeptPixels, page: number): Promise<number> => {
  const { width, height, orientation = 1, density } = await (await picture.decode(page)).metadata();
  const drawn = (await kept.add(pdf, page, { width, height })) ?? (await addDecoded(pdf, await picture.decode(page), picture.mimeType));
  const shown = orientation >= FIRST_SIDEWAYS ? { width: height, height: width } : { width, height };
  const dpi = Math.max(assumeDpi(shown.width, shown.height, density), (Math.max(width, height) * POINTS_PER_INCH) / MAX_SIDE_POINTS);
  const [wide, high] = [shown.width, shown.height].map((pixels) => Math.max(1, (pixels * POINTS_PER_INCH) / dpi)) as [number, number];
  const names = drawn.map(({ object }, at) => `/I${at} ${object} 0 R`).join(' ');
  const strips = drawn.map(({ bottom, height: part }, at) => `q 1 0 0 ${part.toFixed(6)} 0 ${bottom.toFixed(6)} cm /I${at} Do Q`);
  const contents = await pdf.addStream('', Buffer.from(`${placement(orientation, wide, high)} cm\n${strips.join('\n')}\n`, 'latin1'));
  const box = `/MediaBox [0 0 ${wide.toFixed(3)} ${high.toFixed(3)}]`;
  return pdf.add(`<</Type /Page /Parent ${PAGE_TREE} 0 R ${box} /Resources <</XObject <<${names}>>>> /Contents ${contents} 0 R>>`);
};

/** Of a unit square onto the page, for each orientation of EXIF. */
const placement = (orientation: number, width: number, height: number): string => {
  const [w, h] = [width.toFixed(3), height.toFixed(3)];
  switch (orientation) {
    case 2:
      return `-${w} 0 0 ${h} ${w} 0`;
    case 3:
      return `-${w} 0 0 -${h} ${w} ${h}`;
    case 4:
      return `${w} 0 0 -${h} 0 ${h}`;
    case 5:
      return `0 -${h} -${w} 0 ${w} ${h}`;
    case 6:
      return `0 -${h} ${w} 0 0 ${h}`;
    case 7:
      return `0 ${h} ${w} 0 0 0`;
    case 8:
      return `0 ${h} -${w} 0 ${w} 0`;
    default:
      return `${w} 0 0 ${h} 0 0`;
  }
};

interface PixelSize {
  readonly width: number;
  readonly height: number;
}

const WHOLE = { bottom: 0, height: 1 };
const IMAGE = '/Type /XObject /Subtype /Image';

/** The pixels of a file that a PDF can have as they are. The file is read once, when it is first of use. */
class KeptPixels {
  readonly #picture: PictureFile;
  #bytes: Promise<Buffer> | undefined;
  #directories: readonly number[] | undefined;

  constructor(picture: PictureFile) {
    this.#picture = picture;
  }

  /** Undefined where this page has to be compressed again. */
  async add(pdf: PdfWriter, page: number, size: PixelSize): Promise<readonly Drawn[] | undefined> {
    const { path, mimeType } = this.#picture;
    if (mimeType === 'image/bmp') return undefined;
    const bytes = await (this.#bytes ??= readFile(path));
    if (mimeType === 'image/jpeg') return [{ object: await this.#addJpeg(pdf, bytes, size), ...WHOLE }];
    if (mimeType === 'image/png') {
      const png = readPngData(bytes);
      return png && [{ object: await addPng(pdf, png), ...WHOLE }];
    }
    const directory = (this.#directories ??= tiffDirectories(bytes))[page];
    const strips = directory === undefined ? undefined : readTiffStrips(bytes, directory);
    return strips?.width === size.width && strips.height === size.height ? addStrips(pdf, strips) : undefined;
  }

  async #addJpeg(pdf: PdfWriter, bytes: Buffer, { width, height }: PixelSize): Promise<number> {
    const { channels } = await (await this.#picture.decode(0)).metadata();
    const space = channels === 1 ? 'DeviceGray' : channels === FOUR_COLORS ? 'DeviceCMYK' : 'DeviceRGB';
    const isInverted = channels === FOUR_COLORS && bytes.subarray(0, MARK_WITHIN_BYTES).includes(ADOBE_MARK);
    const decode = isInverted ? '/Decode [1 0 1 0 1 0 1 0]' : '';
    return pdf.addStream(
      `${IMAGE} /Width ${width} /Height ${height} /ColorSpace /${space} /BitsPerComponent 8 ${decode} /Filter /DCTDecode`,
      bytes,
    );
  }
}

const addPng = (pdf: PdfWriter, { width, height, bitDepth, colors, palette, pieces }: PngData, entries = ''): Promise<number> => {
  const device = colors === 1 ? '/DeviceGray' : '/DeviceRGB';
  const space = palette === undefined ? device : `[/Indexed /DeviceRGB ${palette.length / 3 - 1} <${palette.toString('hex')}>]`;
  const params = `/DecodeParms <</Predictor 15 /Colors ${colors} /BitsPerComponent ${bitDepth} /Columns ${width}>>`;
  const size = `/Width ${width} /Height ${height} /BitsPerComponent ${bitDepth}`;
  return pdf.addStream(`${IMAGE} ${size} /ColorSpace ${space} ${entries} /Filter /FlateDecode ${params}`, ...pieces);
};

const addStrips = async (pdf: PdfWriter, tiff: TiffStrips): Promise<readonly Drawn[]> => {
  const drawn: Drawn[] = [];
  for (const [at, strip] of tiff.strips.entries()) {
    const rows = Math.min(tiff.rowsPerStrip, tiff.height - at * tiff.rowsPerStrip);
    const bottom = (tiff.height - at * tiff.rowsPerStrip - rows) / tiff.height;
    const size = `/Width ${tiff.width} /Height ${rows} /ColorSpace ${tiff.colors === 1 ? '/DeviceGray' : '/DeviceRGB'}`;
    const fax = `/BitsPerComponent 1 /Filter /CCITTFaxDecode /DecodeParms <</K -1 /Columns ${tiff.width} /Rows ${rows} /BlackIs1 ${tiff.isPlain}>>`;
    const jpeg = `/BitsPerComponent 8 /Filter /DCTDecode${tiff.isPlain ? ' /DecodeParms <</ColorTransform 0>>' : ''}`;
    const object = await pdf.addStream(`${IMAGE} ${size} ${tiff.compression === 'fax' ? fax : jpeg}`, strip);
    drawn.push({ object, bottom, height: rows / tiff.height });
  }
  return drawn;
};

/** The decoded pixels, compressed as a PNG does it. */
const addDecoded = async (pdf: PdfWriter, image: Sharp, mimeType: string): Promise<readonly Drawn[]> => {
  const { hasAlpha, bitsPerSample, space } = await image.metadata();
  // of a file of black and white alone there are no more than these two colours
  const isBilevel = mimeType === 'image/tiff' && bitsPerSample === 1;
  const colors = image.clone().removeAlpha();
  const inSpace = space === 'cmyk' ? colors.toColourspace('srgb') : colors;
  const png = readPngData(
    await inSpace
      .png({ compressionLevel: 9, adaptiveFiltering: !isBilevel, ...(isBilevel && { palette: true, colours: 2, dither: 0 }) })
      .toBuffer(),
  );
  if (png === undefined) throw new Error('the pixels could not be compressed');
  const alpha = hasAlpha && mimeType !== 'image/bmp' ? await addAlpha(pdf, image) : undefined;
  return [{ object: await addPng(pdf, png, alpha === undefined ? '' : `/SMask ${alpha} 0 R`), ...WHOLE }];
};

const addAlpha = async (pdf: PdfWriter, image: Sharp): Promise<number | undefined> => {
  const png = readPngData(await image.clone().extractChannel('alpha').toColourspace('b-w').png({ compressionLevel: 9 }).toBuffer());
  return png && addPng(pdf, png);
};

const A4_LONG_SIDE_INCHES = 11.7;
/** An A4 page at 430 dpi. More costs time and finds no more. */
const ENOUGH_PIXELS = 18_000_000;
/** The engine's own limit is 32,767. */
const MAX_SIDE = 32_000;
/** The engine reads nothing in what is smaller. */
const MIN_SIDE = 3;

interface PictureSize {
  readonly width: number;
  readonly height: number;
  /** As the file says; cameras and screens write 72 or 96 without meaning it. */
  readonly density: number | undefined;
}

interface Scale {
  /** At most 1, but for pictures smaller than the engine takes. */
  readonly factor: number;
  /** What the result may be taken for. */
  readonly dpi: number;
}

/** How much to reduce a picture before it is read. */
export const scaleFor = ({ width, height, density }: PictureSize, maxPixels: number): Scale => {
  const most = Math.min(1, Math.sqrt(Math.min(ENOUGH_PIXELS, maxPixels) / (width * height)), MAX_SIDE / Math.max(width, height));
  const factor = Math.max(most, MIN_SIDE / Math.min(width, height) > 1 ? 1 : 0);
  return { factor, dpi: Math.max(70, Math.min(1_200, assumeDpi(width, height, density) * factor)) };
};

/** What a picture may be taken for that says nothing of its resolution. */
export const asFullPageDpi = (width: number, height: number): number => Math.max(70, Math.max(width, height) / A4_LONG_SIDE_INCHES);

/** What a picture is taken for, by its size in pixels and what its file says. */
const assumeDpi = (width: number, height: number, density: number | undefined): number => {
  const asFullPage = Math.max(width, height) / A4_LONG_SIDE_INCHES;
  return density !== undefined && density > 96 && density <= 1_200 ? density : asFullPage;
};

/** The parts of a PNG that a PDF can take over as they are. */
interface PngData {
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
const readPngData = (bytes: Buffer): PngData | undefined => {
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
