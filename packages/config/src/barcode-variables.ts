import { boolean, text } from './variable.ts';

/** What barcodes on pages mean, unless a source says otherwise. See variables.ts for all variables. */
export const BARCODE_VARIABLES = {
  BARCODE_ENABLED: boolean('Barcodes', {
    default: 'false',
    meaning: 'reads barcodes on the pages of new PDF and image files: archive numbers, labels',
  }),
  BARCODE_ASN_PREFIX: text('Barcodes', { default: 'ASN', meaning: 'prefix of barcodes with an archive number; digits follow' }),
  BARCODE_LABEL_PREFIX: text('Barcodes', {
    default: undefined,
    meaning: 'prefix of barcodes with the name of a label, such as LABEL:; names below each other are separated by /; empty: none are read',
  }),
};
