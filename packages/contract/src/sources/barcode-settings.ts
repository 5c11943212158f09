import { z } from 'zod';
import { hasNoControl, NO_CONTROL } from './no-control.ts';

const MAX_TEXT_CHARACTERS = 100;

const codeText = (meaning: string) =>
  z.string().trim().max(MAX_TEXT_CHARACTERS).refine(hasNoControl, NO_CONTROL).optional().describe(meaning);

/** What barcodes on pages mean for the files of one source or watch folder; what is not given is as the variables have it. */
export const barcodeSettings = z
  .strictObject({
    enabled: z.boolean().optional().describe('Whether barcodes are read; default: BARCODE_ENABLED'),
    separator: codeText('Text of a separator sheet; default: BARCODE_SEPARATOR, empty: no sheet splits'),
    keep_separator: z.boolean().optional().describe('Whether separator sheets are kept; default: BARCODE_KEEP_SEPARATOR'),
    asn_prefix: codeText('Prefix of archive numbers; default: BARCODE_ASN_PREFIX, empty: none is read'),
    label_prefix: codeText('Prefix of labels; default: BARCODE_LABEL_PREFIX, empty: none is read'),
  })
  .meta({ id: 'BarcodeSettings' });
export type BarcodeSettings = z.infer<typeof barcodeSettings>;
