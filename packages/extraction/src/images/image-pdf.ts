import { open, readFile } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { PdfWriter } from '../pdf/pdf-writer.ts';
import { assumeDpi } from './image-scale.ts';
import { type PngData, readPngData } from './png-data.ts';
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
