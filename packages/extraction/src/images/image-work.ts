import { readFile, writeFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { mayHoldCode } from '../barcodes/may-hold-code.ts';
import { type GreyImage, readPgm, readPpm, writePgm } from './grey-image.ts';
import { type Frame, type ImageAnswer, type ImageRequest, PGM_MIME_TYPE, PPM_MIME_TYPE, type ThumbnailFormat } from './image-messages.ts';
import { scaleFor, writeImagePdf } from './image-pdf.ts';

// The canvas and the reader of codes take longer to load than most pictures to decode: they are loaded by the requests that use them

sharp.concurrency(1);
sharp.cache(false);
// Only the formats we accept are ever decoded, whatever the bytes are: no SVG, which could name files and addresses.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadTiffFile'] });
// of thumbnails that were made here: strangers' files never come this way, as they are opened by their path
sharp.unblock({ operation: ['VipsForeignLoadWebpBuffer'] });

const WHITE = '#ffffff';
const BLACK = '#000000';
/** What a picture shows is looked at in this size. */
const LOOK_PIXELS = 256;
const MIN_TRANSPARENT_SHARE = 0.05;
const LIGHT = 170;
const MAX_SHADE = 255;
const BMP_HEADER_BYTES = 26;

export const answerImageRequest = async (request: ImageRequest, maxInputPixels: number): Promise<ImageAnswer> => {
  try {
    return await answer(request, maxInputPixels);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: /exceeds pixel limit/i.test(message) ? 'too_large' : 'corrupt', message };
  }
};

const answer = async (request: ImageRequest, maxInputPixels: number): Promise<ImageAnswer> => {
  switch (request.kind) {
    case 'inspect': {
      const { pages = 1 } = await (await open(request.path, request.mimeType, 0, maxInputPixels)).metadata();
      return { ok: true, pages, dpi: 0 };
    }
    case 'grey_page':
      return writeGreyPage(request, maxInputPixels);
    case 'grey_jpeg':
      return writeGreyJpeg(request, maxInputPixels);
    case 'pdf': {
      const { path, mimeType } = request;
      const decode = (page: number): Promise<Sharp> => open(path, mimeType, page, maxInputPixels);
      return { ok: true, pages: await writeImagePdf({ path, mimeType, decode }, request.outPath), dpi: 0 };
    }
    case 'barcodes':
      return readPageCodes(request, maxInputPixels);
    case 'pdf_look':
      return (await import('../pdf/pdf-look.ts')).lookIntoPdf(request);
    case 'thumbnails':
      await writeThumbnails(await openThumbnailSource(request, maxInputPixels), request);
      return { ok: true, pages: 1, dpi: 0 };
  }
};

/** The picture by the loader its kind asks for; a truncated file gives what there is of it. */
const open = async (path: string, mimeType: string, page: number, maxInputPixels: number): Promise<Sharp> => {
  if (page > 0 && mimeType !== 'image/tiff') throw new Error('pictures of this kind have one page');
  if (mimeType === 'image/bmp') return openBmp(path, maxInputPixels);
  if (mimeType === 'image/webp') return sharp(await readFile(path), { limitInputPixels: maxInputPixels });
  return sharp(path, { page, limitInputPixels: maxInputPixels, failOn: 'none', sequentialRead: true });
};

/** sharp has no loader for BMP. */
const openBmp = async (path: string, maxInputPixels: number): Promise<Sharp> => {
  const bytes = await readFile(path);
  if (bytes.length < BMP_HEADER_BYTES || bytes.toString('latin1', 0, 2) !== 'BM') throw new Error('not a BMP');
  const [width, height] = [Math.abs(bytes.readInt32LE(18)), Math.abs(bytes.readInt32LE(22))];
  if (width * height > maxInputPixels / 4) throw new Error('Input image exceeds pixel limit');
  const { createCanvas, loadImage } = await import('@napi-rs/canvas');
  const image = await loadImage(bytes);
  const canvas = createCanvas(image.width, image.height);
  canvas.getContext('2d').drawImage(image, 0, 0);
  return sharp(canvas.data(), { raw: { width: image.width, height: image.height, channels: 4 } });
};

type PageRequest = Extract<ImageRequest, { kind: 'grey_page' | 'barcodes' }>;

const writeGreyPage = async (request: Extract<ImageRequest, { kind: 'grey_page' }>, maxInputPixels: number): Promise<ImageAnswer> => {
  const { page, dpi } = await openGreyPage(request, maxInputPixels);
  await writeGrey(page, request.outPath);
  return { ok: true, pages: 1, dpi };
};

/** A page, upright and on its ground, of a size fit for recognition. */
const openGreyPage = async (request: PageRequest, maxInputPixels: number): Promise<{ readonly page: Sharp; readonly dpi: number }> => {
  const openPage = (): Promise<Sharp> => open(request.path, request.mimeType, request.page - 1, maxInputPixels);
  const image = await openPage();
  const { autoOrient, density, hasAlpha } = await image.metadata();
  // codes are dark, whatever the rest of the page is
  const isLight = hasAlpha && request.kind !== 'barcodes' && (await showsLightOnNothing(await openPage()));
  const background = isLight ? BLACK : WHITE;
  const { factor, dpi } = scaleFor({ ...autoOrient, density }, request.maxPixels);
  const width = Math.max(1, Math.round(autoOrient.width * factor));
  const upright = image.autoOrient().flatten({ background });
  return { page: factor === 1 ? upright : upright.resize({ width, kernel: 'lanczos3' }), dpi };
};

const readPageCodes = async (request: Extract<ImageRequest, { kind: 'barcodes' }>, maxInputPixels: number): Promise<ImageAnswer> => {
  const isDrawn = request.mimeType === PGM_MIME_TYPE;
  const image = isDrawn ? await readPgm(request.path) : await toGrey((await openGreyPage(request, maxInputPixels)).page);
  if (image === undefined) return { ok: false, reason: 'corrupt', message: 'the page is not whole' };
  const { readCodes } = await import('../barcodes/read-codes.ts');
  const { codes, places } = await readCodes(image);
  return { ok: true, pages: 1, dpi: 0, barcodes: { codes, mayHoldMore: mayHoldCode(image, places) } };
};

const writeGreyJpeg = async (
  { path, outPath, width, height }: Extract<ImageRequest, { kind: 'grey_jpeg' }>,
  maxInputPixels: number,
): Promise<ImageAnswer> => {
  const image = await open(path, 'image/jpeg', 0, maxInputPixels);
  const stored = await image.metadata();
  if (stored.format !== 'jpeg' || stored.width !== width || stored.height !== height)
    return { ok: false, reason: 'corrupt', message: 'the picture is not the one that was announced' };
  await writeGrey(image, outPath);
  return { ok: true, pages: 1, dpi: 0 };
};

const writeGrey = async (image: Sharp, outPath: string): Promise<void> => writePgm(outPath, await toGrey(image));

const toGrey = async (image: Sharp): Promise<GreyImage> => {
  const { data, info } = await image.toColourspace('b-w').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, pixels: data };
};

/** Whether light things stand on a transparent ground: on white nobody would see them. */
const showsLightOnNothing = async (image: Sharp): Promise<boolean> => {
  const small = image.resize({ width: LOOK_PIXELS, height: LOOK_PIXELS, fit: 'inside', withoutEnlargement: true, kernel: 'nearest' });
  const { data, info } = await small.toColourspace('b-w').ensureAlpha().raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  let [opaque, shades] = [0, 0];
  for (let at = 0; at + 1 < data.length; at += info.channels) {
    const alpha = (data[at + info.channels - 1] ?? 0) / MAX_SHADE;
    opaque += alpha;
    shades += alpha * (data[at] ?? 0);
  }
  const pixels = info.width * info.height;
  return opaque > 0 && opaque < pixels * (1 - MIN_TRANSPARENT_SHARE) && shades / opaque > LIGHT;
};

type ThumbnailRequest = Extract<ImageRequest, { kind: 'thumbnails' }>;

const openThumbnailSource = async ({ path, mimeType, page = 1 }: ThumbnailRequest, maxInputPixels: number): Promise<Sharp> => {
  if (mimeType !== PPM_MIME_TYPE) return (await open(path, mimeType, page - 1, maxInputPixels)).autoOrient();
  const { width, height, pixels } = (await readPpm(path)) ?? {};
  if (width === undefined || height === undefined || width * height > maxInputPixels) throw new Error('the page is not whole');
  return sharp(pixels, { raw: { width, height, channels: 3 } });
};

/** The largest is fitted into its frame, and the others are made of it. */
const writeThumbnails = async (image: Sharp, { targets, format }: ThumbnailRequest): Promise<void> => {
  const [first, ...others] = targets.toSorted((a, b) => b.width * b.height - a.width * a.height);
  if (first === undefined) return;
  const largest = image.resize({ ...frameOf(first), fit: 'inside', withoutEnlargement: true }).flatten({ background: WHITE });
  if (others.length === 0) return writeFile(first.outPath, await encoded(largest, format));
  const { data, info } = await largest.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  for (const target of [first, ...others]) {
    const fitted = sharp(data, { raw: info }).resize({ ...frameOf(target), fit: 'inside', withoutEnlargement: true });
    await writeFile(target.outPath, await encoded(fitted, format));
  }
};

/** libwebp takes twice as long by default, for 2 percent fewer bytes. */
const encoded = (picture: Sharp, format: ThumbnailFormat): Promise<Buffer> =>
  (format === 'webp' ? picture.webp({ effort: 2 }) : picture.toFormat(format)).toBuffer();

const frameOf = ({ width, height }: Frame): Frame => ({ width, height });
