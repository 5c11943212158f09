import { z } from 'zod';

/** Separator sheets, archive numbers and labels are printed as one of these. */
export const BARCODE_FORMATS = ['Code39', 'Code128', 'QRCode', 'DataMatrix'] as const;

/** A page with more is no sheet of a filing system. */
export const MAX_PAGE_CODES = 64;
/** A longer text is no archive number and no name of a label. */
export const MAX_CODE_CHARS = 300;

const barcode = z.object({ format: z.enum(BARCODE_FORMATS), text: z.string().max(MAX_CODE_CHARS) });
export type Barcode = z.infer<typeof barcode>;

/** What a process says that has looked at a stranger's picture. */
export const foundCodes = z.array(barcode).max(MAX_PAGE_CODES);

/** The barcodes of a page; pages without any are not given. */
export interface PageBarcodes {
  /** From 1. */
  readonly page: number;
  readonly codes: readonly Barcode[];
}
