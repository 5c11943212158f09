import type { Barcode } from '../barcodes/barcode.ts';

/** What the image process is asked and answers: one JSON object a line, on its standard input and output. */
export type ImageRequest =
  | { readonly kind: 'inspect'; readonly path: string; readonly mimeType: string }
  | {
      /** Decodes one page and writes it to `outPath` as a grey PGM of a size fit for recognition. */
      readonly kind: 'grey_page';
      readonly path: string;
      readonly mimeType: string;
      readonly page: number;
      readonly outPath: string;
      readonly maxPixels: number;
    }
  | {
      /** Writes a JPEG to `outPath` as a grey PGM, pixel for pixel and as it is stored; one of another size than this is corrupt. */
      readonly kind: 'grey_jpeg';
      readonly path: string;
      readonly outPath: string;
      readonly width: number;
      readonly height: number;
    }
  | {
      /** Reads the barcodes of one page, scaled down to `maxPixels`. A PGM of ours is taken as it is. */
      readonly kind: 'barcodes';
      readonly path: string;
      readonly mimeType: string;
      readonly page: number;
      readonly maxPixels: number;
    }
  | {
      /** Writes all pages to `outPath` as a PDF. */
      readonly kind: 'pdf';
      readonly path: string;
      readonly mimeType: string;
      readonly outPath: string;
    }
  | ({ readonly kind: 'thumbnail'; readonly path: string; readonly mimeType: string; readonly page?: number } & ThumbnailTarget)
  | ({ readonly kind: 'text_thumbnail'; readonly text: string } & ThumbnailTarget);

export const THUMBNAIL_FORMATS = ['webp', 'jpeg', 'png'] as const;
export type ThumbnailFormat = (typeof THUMBNAIL_FORMATS)[number];

export interface ThumbnailTarget {
  readonly outPath: string;
  readonly width: number;
  readonly height: number;
  readonly format: ThumbnailFormat;
}

export const PGM_MIME_TYPE = 'image/x-portable-graymap';

export type ImageAnswer =
  | {
      readonly ok: true;
      readonly pages: number;
      readonly dpi: number;
      /** Of a page that was asked for its barcodes, and whether it may have one that needs more pixels. */
      readonly barcodes?: { readonly codes: readonly Barcode[]; readonly mayHoldMore: boolean };
    }
  | { readonly ok: false; readonly reason: 'corrupt' | 'too_large'; readonly message: string };
