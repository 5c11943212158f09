import { THUMBNAILS_PREFIX } from './keys.ts';

/** The frames that stored thumbnails fit into are squares of these sides, in pixels. All other sizes are made of one of them and not stored. */
export const THUMBNAIL_SIZES = [200, 400, 800, 1_600, 2_000] as const;
export type ThumbnailSize = (typeof THUMBNAIL_SIZES)[number];

/** The smallest frame that covers one of `width` by `height`, up to 2,000 pixels. */
export const coveringSize = (width: number, height: number): ThumbnailSize =>
  THUMBNAIL_SIZES.find((size) => size >= Math.max(width, height)) ?? 2_000;

/** The part of the key of a thumbnail that names frame and format, and the page where it is not the first. */
export const thumbnailVariant = (size: ThumbnailSize, format: string, page = 1): string =>
  `${page === 1 ? '' : `p${page}-`}${size}x${size}.${format}`;

const VARIANT = /-(\d{1,4})x(\d{1,4})\.[a-z]{1,8}$/;

/** Whether `key` is a thumbnail in a frame that is stored no more. False for a name that is not ours. */
export const isRetiredThumbnail = (key: string): boolean => {
  const [, width, height] = (key.startsWith(THUMBNAILS_PREFIX) && VARIANT.exec(key)) || [];
  return width !== undefined && (width !== height || !THUMBNAIL_SIZES.some((size) => String(size) === width));
};
