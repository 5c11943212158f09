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
      /** Writes all pages to `outPath` as a PDF. */
      readonly kind: 'pdf';
      readonly path: string;
      readonly mimeType: string;
      readonly outPath: string;
    }
  | {
      /** Reads the barcodes of one page, scaled down to `maxPixels`. A PGM of ours is taken as it is. */
      readonly kind: 'barcodes';
      readonly path: string;
      readonly mimeType: string;
      readonly page: number;
      readonly maxPixels: number;
    }
  | PdfLookRequest
  | {
      /** Decodes one page once, and writes it in each of these sizes. */
      readonly kind: 'thumbnails';
      readonly path: string;
      readonly mimeType: string;
      readonly page?: number;
      readonly format: ThumbnailFormat;
      readonly targets: readonly ThumbnailTarget[];
    };

/** What is to be found out about a PDF in one start. */
export interface LookRequest {
  /** Of a longer document no more is looked at. */
  readonly mostPages: number;
  /** Where the text of all pages goes, a form feed after each page. */
  readonly textPath: string;
  /** Where the words of all pages go with their boxes, as XHTML. */
  readonly wordsPath: string;
  readonly wantsPictures: boolean;
  readonly wantsAttachments: boolean;
  /** The first page is drawn in colour, its longer side so many pixels long. */
  readonly picture?: { readonly pixels: number; readonly path: string } | undefined;
}

/** Finds out about a PDF what is needed of every document, and writes text, words and picture to their paths. */
export interface PdfLookRequest extends LookRequest {
  readonly kind: 'pdf_look';
  readonly path: string;
  /** By their paths. */
  readonly programs: Readonly<Record<LookProgram, string>>;
}

export type LookProgram = 'pdftotext' | 'pdfimages' | 'pdfdetach' | 'pdftoppm';

/** What was found out about a PDF, in the words of pdfinfo, pdfimages and pdfdetach. */
export interface PdfLookAnswer {
  /** Of the pages, with their boxes. */
  readonly sizes: string;
  readonly pictures: string;
  readonly attachments: string;
}

export const THUMBNAIL_FORMATS = ['webp', 'jpeg', 'png'] as const;
export type ThumbnailFormat = (typeof THUMBNAIL_FORMATS)[number];

/** A picture is fitted into the frame; one that is smaller keeps its size. */
export interface Frame {
  readonly width: number;
  readonly height: number;
}

export interface ThumbnailTarget extends Frame {
  readonly outPath: string;
}

/** What poppler draws pages as, where they are not pictures that a stranger made. */
export const PPM_MIME_TYPE = 'image/x-portable-pixmap';
export const PGM_MIME_TYPE = 'image/x-portable-graymap';

export type ImageAnswer =
  | {
      readonly ok: true;
      readonly pages: number;
      readonly dpi: number;
      /** Of a page that was asked for its barcodes, and whether it may have one that needs more pixels. */
      readonly barcodes?: { readonly codes: readonly Barcode[]; readonly mayHoldMore: boolean };
      readonly look?: PdfLookAnswer;
      /** What was started to answer, by its path. */
      readonly programs?: readonly string[];
    }
  | { readonly ok: false; readonly reason: 'corrupt' | 'too_large'; readonly message: string };

export interface ImageReply {
  readonly answer: ImageAnswer;
  /** What the process has in memory after it. */
  readonly residentBytes: number;
}
