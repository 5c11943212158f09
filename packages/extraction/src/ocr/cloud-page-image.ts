import { type GreyImage, toSharp } from '../images/grey-image.ts';

/** What the service takes on every plan: 50 to 10,000 pixels a side and 4 MB on the free one. */
const SIDE = { min: 50, max: 10_000 };
const MAX_BYTES = 4_000_000;
/** Tried in this order until the picture is small enough. A page of A4 at 300 dpi has about 1 MB by the first. */
const WAYS = [
  { quality: 90, scale: 1 },
  { quality: 75, scale: 1 },
  { quality: 75, scale: 0.5 },
  { quality: 60, scale: 0.25 },
] as const;

const encode = async (image: GreyImage, quality: number, scale: number): Promise<Buffer> => {
  const { width, height } = image;
  const factor = Math.min(scale, SIDE.max / Math.max(width, height));
  const size = { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
  const grey = await toSharp(image);
  const scaled = factor < 1 ? grey.resize({ ...size, fit: 'fill' }) : grey;
  const margin = { right: Math.max(0, SIDE.min - size.width), bottom: Math.max(0, SIDE.min - size.height) };
  return scaled
    .extend({ ...margin, background: 'white' })
    .toColourspace('b-w')
    .jpeg({ quality })
    .toBuffer();
};

/** A page as the service takes it: JPEG, which is a tenth of the PGM and costs no word. */
export const encodePage = async (image: GreyImage): Promise<Buffer> => {
  let jpeg: Buffer = Buffer.alloc(0);
  for (const { quality, scale } of WAYS) {
    jpeg = await encode(image, quality, scale);
    if (jpeg.length <= MAX_BYTES) break;
  }
  return jpeg;
};
